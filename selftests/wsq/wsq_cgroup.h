/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the programs of selftests/wsq that put themselves in a memory cgroup: a
 * private group, in a private mount of cgroup v2.
 */
#ifndef WSQ_CGROUP_H
#define WSQ_CGROUP_H

#include "wsq_user.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

#define PAGE	4096UL
#define MIB	(1UL << 20)

/* Each CPU keeps up to 64 charged pages that are unused. */
#define SLACK	(MIB + get_nprocs_conf() * 64 * PAGE)

static char top[32];
static char group[100];

static inline const char *in_group(const char *file)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", group, file);
	return path;
}

static inline void file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		FAIL("%s: %s", path, strerror(errno));
	n = read(fd, text, size - 1);
	EXPECT(n >= 0);
	text[n] = 0;
	close(fd);
}

static inline uint64_t current_bytes(void)
{
	char text[64];

	file_read(in_group("memory.current"), text, sizeof(text));
	return strtoull(text, NULL, 10);
}

/* A line "NAME NUMBER" of a file of the group. */
static inline uint64_t line_of(const char *file, const char *name)
{
	size_t len = strlen(name);
	char text[8192], *p;

	file_read(in_group(file), text, sizeof(text));
	for (p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, name, len) && p[len] == ' ')
			return strtoull(p + len, NULL, 10);
	}
	SKIP("no %s in %s", name, file);
}

static inline void max_set(uint64_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	EXPECT_EQ(file_write(in_group("memory.max"), text), 0);
}

/* Makes a private group, in a file system that no other process sees. */
static inline void group_make(void)
{
	char path[200], text[400];

	snprintf(top, sizeof(top), "/tmp/wsq-cgroup.XXXXXX");
	EXPECT(mkdtemp(top));
	EXPECT_ERR(unshare(CLONE_NEWNS), 0);
	EXPECT_ERR(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	if (mount("none", top, "cgroup2", 0, NULL))
		SKIP("no cgroup v2: %s", strerror(errno));
	snprintf(path, sizeof(path), "%s/cgroup.controllers", top);
	file_read(path, text, sizeof(text));
	if (!strstr(text, "memory"))
		SKIP("no memory controller in cgroup v2");
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", top);
	EXPECT_EQ(file_write(path, "+memory"), 0);
	snprintf(group, sizeof(group), "%s/wsq-%d", top, getpid());
	EXPECT_ERR(mkdir(group, 0755), 0);
	/* So that the files were used once, and can be closed. */
	expect_usable();
	expect_rings(0);
}

static inline void group_enter(void)
{
	EXPECT_EQ(file_write(in_group("cgroup.procs"), "0"), 0);
}

static inline void group_leave(void)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/cgroup.procs", top);
	EXPECT_EQ(file_write(path, "0"), 0);
}

/* A process that has left it, or ended, may be counted for another moment. */
static inline void group_remove(const char *path)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	int err;

	do {
		err = rmdir(path) ? errno : 0;
	} while (err == EBUSY && now_ns() < end && !usleep(10000));
	EXPECT_EQ(err, 0);
}

static inline void group_end(void)
{
	group_leave();
	group_remove(group);
	EXPECT_ERR(umount2(top, MNT_DETACH), 0);
	rmdir(top);
}

/* Soon; per-CPU counters are summed up now and then. */
static inline void expect_at_most(uint64_t bytes)
{
	uint64_t end = now_ns() + TIMEOUT_S;

	while (current_bytes() > bytes && now_ns() < end)
		usleep(10000);
	if (current_bytes() > bytes)
		FAIL("%llu bytes are charged, not %llu",
		     (unsigned long long)current_bytes(),
		     (unsigned long long)bytes);
}

#endif /* WSQ_CGROUP_H */
