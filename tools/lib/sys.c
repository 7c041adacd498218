// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * libwsq's way to the real kernel; see sys.h.
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
