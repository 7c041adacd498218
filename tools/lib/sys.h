/* SPDX-License-Identifier: MIT OR LGPL-2.1 */
/*
 * The four calls by which libwsq reaches the kernel, in a table.
 *
 * The tests replace the table by a fake kernel made of threads (tests/fake.c),
 * so they need neither the module nor root. Not installed, not exported. All
 * return a negative errno; mmap returns the address in *@addr. Cost: an
 * indirect call beside a system call.
 */
#ifndef LIBWSQ_SYS_H
#define LIBWSQ_SYS_H

#include <errno.h>
#include <stddef.h>
#include <linux/types.h>

struct wsq_sys {
	int (*open)(const char *path);
	int (*close)(int fd);
	int (*ioctl)(int fd, unsigned long cmd, void *arg);
	int (*mmap)(int fd, __u64 off, size_t len, void **addr);
	int (*munmap)(void *addr, size_t len);
};

extern const struct wsq_sys *wsq_sys;

/*
 * The module never answers with a positive number: the file is another device's
 * for which the command means something else.
 */
static inline int wsq_sys_ioctl(int fd, unsigned long cmd, void *arg)
{
	int ret = wsq_sys->ioctl(fd, cmd, arg);

	return ret > 0 ? -ENOTTY : ret;
}

__u64 wsq_process(void);

struct wsq_arena;

struct wsq_arena *wsq_arena_create(__u64 bytes);
void wsq_arena_destroy(struct wsq_arena *a);
__s64 wsq_arena_take(struct wsq_arena *a, size_t size, size_t align);
int wsq_arena_give(struct wsq_arena *a, __u64 off);
__u64 wsq_arena_max(const struct wsq_arena *a);

#endif /* LIBWSQ_SYS_H */
