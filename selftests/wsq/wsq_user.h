/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the programs of selftests/wsq that act as several users, at the limits
 * set by the module's parameters. All as root.
 */
#ifndef WSQ_USER_H
#define WSQ_USER_H

#include "wsq_test.h"

#include <linux/capability.h>
#include <sys/syscall.h>

/* The module's defaults. */
#define DEF_RINGS	256ULL
#define DEF_TASKS	(1ULL << 20)
#define DEF_MEMORY	(1ULL << 30)

/* Returns 0 or an errno. */
static inline int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = errno;
	close(fd);
	return ret;
}

static inline int param_set(const char *name, const char *text)
{
	char path[100];

	snprintf(path, sizeof(path), "/sys/module/wsq/parameters/%s", name);
	return file_write(path, text);
}

static inline void param_set_number(const char *name, unsigned long long n)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", n);
	EXPECT_EQ(param_set(name, text), 0);
}

static inline unsigned long long param_get_number(const char *name)
{
	char path[100];
	unsigned long long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/wsq/parameters/%s", name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu", &n) != 1)
		FAIL("no parameter %s", name);
	fclose(f);
	return n;
}

static inline void limits_set(unsigned long long rings,
			      unsigned long long tasks,
			      unsigned long long memory)
{
	param_set_number("max_user_rings", rings);
	param_set_number("max_user_tasks", tasks);
	param_set_number("max_user_memory", memory);
}

static inline void limits_default(void)
{
	limits_set(DEF_RINGS, DEF_TASKS, DEF_MEMORY);
}

/* Switches the effective capability to exceed limits on or off. */
static inline void cap_resource(int on)
{
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct d[2];

	EXPECT_ERR(syscall(SYS_capget, &h, d), 0);
	if (on)
		d[0].effective |= 1U << CAP_SYS_RESOURCE;
	else
		d[0].effective &= ~(1U << CAP_SYS_RESOURCE);
	EXPECT_ERR(syscall(SYS_capset, &h, d), 0);
}

/*
 * From now on the caller is this user: by the real uid, which is charged, and
 * without CAP_SYS_RESOURCE. The effective uid stays root's.
 */
static inline void act_as(uid_t uid)
{
	cap_resource(0);
	EXPECT_ERR(setresuid(uid, 0, 0), 0);
}

/* Root again, with all capabilities. */
static inline void act_as_root(void)
{
	EXPECT_ERR(setresuid(0, 0, 0), 0);
	cap_resource(1);
}

/* Opens the device as a user with limits. The caller stays that user. */
static inline int open_as(uid_t uid)
{
	act_as(uid);
	return dev_open();
}

/* SETUP: 0 or an errno. */
static inline int try_setup(int fd, unsigned int sq, unsigned int cq,
			    uint64_t arena)
{
	struct wsq_setup s = {
		.size = sizeof(s), .sq_entries = sq, .cq_entries = cq,
		.arena_size = arena,
	};

	return ioctl(fd, WSQ_IOC_SETUP, &s) ? errno : 0;
}

static inline struct wsq_query query_of(int fd, unsigned int sq,
					unsigned int cq, uint64_t arena)
{
	struct wsq_query q = {
		.size = sizeof(q), .sq_entries = sq, .cq_entries = cq,
		.arena_size = arena,
	};

	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	return q;
}

static inline void expect_use(int fd, unsigned int rings, unsigned int tasks,
			      uint64_t memory)
{
	struct wsq_query q = query_of(fd, 0, 0, 0);

	EXPECT_EQ(q.user_rings, rings);
	EXPECT_EQ(q.user_tasks, tasks);
	EXPECT_EQ(q.user_memory, memory);
}

/* Wait until a user has no rings. The caller is root afterwards. */
static inline void expect_no_use(uid_t uid)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	int fd = open_as(uid);

	while (query_of(fd, 0, 0, 0).user_rings && now_ns() < end)
		usleep(5000);
	expect_use(fd, 0, 0, 0);
	close(fd);
	act_as_root();
}

#endif /* WSQ_USER_H */
