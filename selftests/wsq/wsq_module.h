/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the programs of selftests/wsq that load and unload the module.
 *
 * WSQ_KO names the module's file. The default is /lib/modules/wsq/wsq.ko (the
 * laboratory's), then ./wsq.ko.
 */
#ifndef WSQ_MODULE_H
#define WSQ_MODULE_H

#include "wsq_test.h"

#include <dirent.h>
#include <sys/syscall.h>

static inline const char *module_path(void)
{
	static const char *const paths[] = {
		"/lib/modules/wsq/wsq.ko", "./wsq.ko",
	};
	const char *p = getenv("WSQ_KO");
	unsigned int i;

	if (p)
		return p;
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		if (!access(paths[i], R_OK))
			return paths[i];
	SKIP("no module file, WSQ_KO is not set");
}

static inline int module_load_with(const char *parameters)
{
	int fd = open(module_path(), O_RDONLY | O_CLOEXEC), ret;

	EXPECT(fd >= 0);
	ret = syscall(SYS_finit_module, fd, parameters, 0) ? errno : 0;
	close(fd);
	return ret;
}

static inline int module_load(void)
{
	return module_load_with("");
}

static inline int module_unload(void)
{
	return syscall(SYS_delete_module, "wsq", O_NONBLOCK) ? errno : 0;
}

static inline int module_loaded(void)
{
	return !access("/sys/module/wsq/initstate", F_OK);
}

/* Creating the device node may take a moment. */
static inline void expect_device(void)
{
	uint64_t end = now_ns() + TIMEOUT_S;

	while (access(WSQ_DEVICE, F_OK) && now_ns() < end)
		usleep(1000);
	EXPECT_ERR(access(WSQ_DEVICE, F_OK), 0);
}

/* Restores the initial state, whatever a test did. */
static inline void expect_loaded(void)
{
	int ret = module_loaded() ? 0 : module_load();

	if (ret)
		FAIL("cannot load %s: %s", module_path(), strerror(ret));
	expect_device();
}

/* Kernel threads with this prefix of the name. */
static inline int threads(const char *name)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int nr = 0;

	EXPECT(d);
	while ((e = readdir(d))) {
		char path[300], comm[64] = "", exe[8];
		int fd;

		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/exe", e->d_name);
		if (readlink(path, exe, sizeof(exe)) >= 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		if (read(fd, comm, sizeof(comm) - 1) > 0)
			nr += !strncmp(comm, name, strlen(name));
		close(fd);
	}
	closedir(d);
	return nr;
}

#endif /* WSQ_MODULE_H */
