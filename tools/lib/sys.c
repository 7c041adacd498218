// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * libwsq's way to the real kernel, see sys.h, and what tells a forked child from
 * its parent.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys.h"

static int sys_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int sys_close(int fd)
{
	return close(fd) ? -errno : 0;
}

static int sys_ioctl(int fd, unsigned long cmd, void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

static int sys_mmap(int fd, __u64 off, size_t len, void **addr)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       (off_t)off);

	if (p == MAP_FAILED)
		return -errno;
	*addr = p;
	return 0;
}

static int sys_munmap(void *addr, size_t len)
{
	return munmap(addr, len) ? -errno : 0;
}

static const struct wsq_sys wsq_sys_real = {
	.open	= sys_open,
	.close	= sys_close,
	.ioctl	= sys_ioctl,
	.mmap	= sys_mmap,
	.munmap	= sys_munmap,
};

const struct wsq_sys *wsq_sys = &wsq_sys_real;

/*
 * A number of this process that no forked child shares, not even one with the
 * same pid in a pid namespace of its own: it is in a page that is zero in a
 * child. A child has a greater number than its parent, so it never takes rings
 * of the parent for its own.
 */
__u64 wsq_process(void)
{
	static __u64 *page, last;
	__u64 *p = __atomic_load_n(&page, __ATOMIC_ACQUIRE), *none = NULL;
	__u64 id, zero = 0;

	if (!p) {
		p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return (1ULL << 63) | (__u64)getpid();
		if (madvise(p, sizeof(*p), MADV_WIPEONFORK)) {
			munmap(p, sizeof(*p));
			return (1ULL << 63) | (__u64)getpid();
		}
		/* Another thread may have made one. */
		if (!__atomic_compare_exchange_n(&page, &none, p, 0,
						 __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE)) {
			munmap(p, sizeof(*p));
			p = none;
		}
	}
	id = __atomic_load_n(p, __ATOMIC_RELAXED);
	if (id)
		return id;
	id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	return __atomic_compare_exchange_n(p, &zero, id, 0, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED) ? id : zero;
}
