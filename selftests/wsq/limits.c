// SPDX-License-Identifier: GPL-2.0
/*
 * A user's limits: rings, tasks in flight and memory, counted exactly for the
 * caller of SETUP, and released in every case.
 */
#include "wsq_user.h"

#include <grp.h>

#define PAGE	4096UL

/* Users that no other test has. */
#define ALICE	7001
#define BOB	7002
/* First of many more. */
#define STRANGERS	8000

/* The module's defaults. */
#define DEF_USERS	511
#define DEF_OPENER_USERS	64

static void rings(void)
{
	int fd[4], i;

	limits_set(3, DEF_TASKS, DEF_MEMORY);
	expect_no_use(ALICE);
	for (i = 0; i < 3; i++) {
		fd[i] = open_as(ALICE);
		EXPECT_EQ(try_setup(fd[i], 4, 0, PAGE), 0);
	}
	fd[3] = open_as(ALICE);
	EXPECT_EQ(try_setup(fd[3], 4, 0, PAGE), EDQUOT);
	EXPECT_EQ(try_setup(fd[3], 1, 1, 0), EDQUOT);
	/* An error that is checked first, as always. */
	EXPECT_EQ(try_setup(fd[3], 3, 0, 0), EINVAL);
	EXPECT_EQ(try_setup(fd[0], 4, 0, 0), EBUSY);
	EXPECT_EQ(query_of(fd[3], 0, 0, 0).user_rings, 3);

	/* Another user, and a privileged one, are not affected. */
	i = open_as(BOB);
	EXPECT_EQ(try_setup(i, 4, 0, PAGE), 0);
	EXPECT_EQ(query_of(i, 0, 0, 0).user_rings, 1);
	close(i);
	act_as(ALICE);

	/* The same file works within the limit; failures are not counted. */
	close(fd[1]);
	EXPECT_EQ(try_setup(fd[3], 4, 0, PAGE), 0);
	fd[1] = open_as(ALICE);
	EXPECT_EQ(try_setup(fd[1], 4, 0, PAGE), EDQUOT);

	/* A lower limit removes no existing ring. */
	limits_set(0, DEF_TASKS, DEF_MEMORY);
	EXPECT_EQ(try_setup(fd[1], 4, 0, PAGE), EDQUOT);
	EXPECT_EQ(query_of(fd[1], 0, 0, 0).user_rings, 3);
	limits_set(4, DEF_TASKS, DEF_MEMORY);
	EXPECT_EQ(try_setup(fd[1], 4, 0, PAGE), 0);
	for (i = 0; i < 4; i++)
		close(fd[i]);
	expect_no_use(ALICE);
	expect_no_use(BOB);
	limits_default();
	expect_rings(0);
}

/* Memory of a user, beside its rings. */
static uint64_t user_bytes(void)
{
	uint64_t first, second;
	int fd;

	expect_no_use(ALICE);
	fd = open_as(ALICE);
	first = query_of(fd, 4, 8, 0).memory;
	EXPECT_EQ(try_setup(fd, 4, 8, 0), 0);
	second = query_of(fd, 4, 8, 0).memory;
	EXPECT_EQ(query_of(fd, 0, 0, 0).user_memory, first);
	close(fd);
	expect_no_use(ALICE);
	EXPECT(first > second);
	return first - second;
}

/* To the byte. */
static void memory(void)
{
	struct wsq_query big, small;
	const uint64_t user = user_bytes();
	int fd[3], i;

	for (i = 0; i < 3; i++)
		fd[i] = open_as(ALICE);
	big = query_of(fd[0], 64, 256, 10 * PAGE);
	small = query_of(fd[0], 1, 1, 0);
	EXPECT(big.memory > 10 * PAGE && small.memory > 2 * PAGE);

	limits_set(DEF_RINGS, DEF_TASKS, big.memory - 1);
	EXPECT_EQ(try_setup(fd[0], 64, 256, 10 * PAGE), EDQUOT);
	expect_use(fd[0], 0, 0, 0);
	limits_set(DEF_RINGS, DEF_TASKS, big.memory);
	EXPECT_EQ(try_setup(fd[0], 64, 256, 10 * PAGE), 0);
	expect_use(fd[0], 1, 256, big.memory);
	/* The first ring's memory includes the user's own. */
	small = query_of(fd[1], 1, 1, 0);
	EXPECT_EQ(try_setup(fd[1], 1, 1, 0), EDQUOT);
	limits_set(DEF_RINGS, DEF_TASKS, big.memory + small.memory - 1);
	EXPECT_EQ(try_setup(fd[1], 1, 1, 0), EDQUOT);
	limits_set(DEF_RINGS, DEF_TASKS, big.memory + small.memory);
	EXPECT_EQ(try_setup(fd[1], 1, 1, 0), 0);
	expect_use(fd[2], 2, 257, big.memory + small.memory);
	/* Less than is used, and no limit at all. */
	limits_set(DEF_RINGS, DEF_TASKS, 0);
	EXPECT_EQ(try_setup(fd[2], 1, 1, 0), EDQUOT);
	limits_set(DEF_RINGS, DEF_TASKS, -1ULL);
	EXPECT_EQ(try_setup(fd[2], 64, 256, 10 * PAGE), 0);
	expect_use(fd[2], 3, 513, 2 * big.memory - user + small.memory);
	for (i = 0; i < 3; i++)
		close(fd[i]);
	expect_no_use(ALICE);
	limits_default();
}

static void tasks(void)
{
	int a = open_as(ALICE), b = open_as(ALICE), c = open_as(ALICE);

	limits_set(DEF_RINGS, 12, DEF_MEMORY);
	EXPECT_EQ(try_setup(a, 8, 0, 0), EDQUOT);
	EXPECT_EQ(try_setup(a, 4, 0, 0), 0);
	EXPECT_EQ(try_setup(b, 4, 0, 0), EDQUOT);
	EXPECT_EQ(try_setup(b, 4, 4, 0), 0);
	EXPECT_EQ(try_setup(c, 1, 1, 0), EDQUOT);
	EXPECT_EQ(query_of(c, 0, 0, 0).user_tasks, 12);
	limits_set(DEF_RINGS, -1U, DEF_MEMORY);
	EXPECT_EQ(try_setup(c, 1, 1, 0), 0);
	EXPECT_EQ(query_of(c, 0, 0, 0).user_tasks, 13);
	close(a);
	close(b);
	close(c);
	expect_no_use(ALICE);
	limits_default();
}

/* A ring is exempt if its file's opener and SETUP's caller are both capable. */
static void exempt(void)
{
	int root, plain;

	/* No ring of this process is still being freed. */
	expect_rings(0);
	limits_set(0, DEF_TASKS, DEF_MEMORY);
	root = dev_open();
	plain = open_as(0);
	/* Without the capability root is a user like any other. */
	EXPECT_EQ(try_setup(plain, 4, 0, 0), EDQUOT);
	/* Opened with it, called without it; and the other way round. */
	EXPECT_EQ(try_setup(root, 4, 0, 0), EDQUOT);
	act_as_root();
	EXPECT_EQ(try_setup(plain, 4, 0, 0), EDQUOT);
	expect_use(plain, 0, 0, 0);
	EXPECT_EQ(try_setup(root, 4, 0, 0), 0);
	/* It is counted nevertheless. */
	EXPECT_EQ(query_of(plain, 0, 0, 0).user_rings, 1);
	close(root);
	close(plain);
	limits_default();
	expect_rings(0);
}

/* Files that root has opened and passed on count for the user that calls SETUP. */
static void passed(void)
{
	int fd[4], status, i;
	struct ring r;
	pid_t pid;

	expect_no_use(BOB);
	limits_set(2, DEF_TASKS, DEF_MEMORY);
	for (i = 0; i < 4; i++)
		fd[i] = dev_open();
	pid = fork();
	if (!pid) {
		if (setgroups(0, NULL) || setgid(BOB) || setuid(BOB))
			FAIL("cannot become another user");
		EXPECT_ERR(open(WSQ_DEVICE, O_RDWR), EACCES);
		EXPECT_EQ(query_of(fd[0], 0, 0, 0).user_rings, 0);
		ring_make(&r, fd[0], 4, 0, 0);
		ring_push_nop(&r, 3);
		EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
		EXPECT_EQ(ring_take(&r).user_data, 3);
		EXPECT_EQ(try_setup(fd[1], 4, 0, 0), 0);
		EXPECT_EQ(try_setup(fd[2], 4, 0, 0), EDQUOT);
		EXPECT_EQ(query_of(fd[2], 0, 0, 0).user_rings, 2);
		_exit(0);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	/* Root has the files open too, but the rings do not count for it. */
	expect_use(fd[3], 0, 0, 0);
	EXPECT_EQ(try_setup(fd[2], 4, 0, 0), 0);
	EXPECT_EQ(query_of(fd[3], 0, 0, 0).user_rings, 1);
	act_as(BOB);
	EXPECT_EQ(query_of(fd[3], 0, 0, 0).user_rings, 2);
	EXPECT_EQ(try_setup(fd[3], 4, 0, 0), EDQUOT);
	for (i = 0; i < 4; i++)
		close(fd[i]);
	expect_no_use(BOB);
	limits_default();
	expect_rings(0);
}

/* Failures after the check, and rings held by a mapping. */
static void given_back(void)
{
	struct wsq_setup *ro;
	struct ring r;
	int fd = open_as(ALICE), other = open_as(ALICE);

	limits_set(1, DEF_TASKS, DEF_MEMORY);
	ro = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(ro != MAP_FAILED);
	*ro = (struct wsq_setup) { .size = sizeof(*ro), .sq_entries = 4 };
	EXPECT_ERR(mprotect(ro, PAGE, PROT_READ), 0);
	EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, ro), EFAULT);
	expect_use(fd, 0, 0, 0);

	ring_make(&r, fd, 4, 0, PAGE);
	close(fd);
	/* The mapping holds it: this ring is not being freed. */
	EXPECT_EQ(query_of(other, 0, 0, 0).user_rings, 1);
	EXPECT_EQ(try_setup(other, 4, 0, 0), EDQUOT);
	ring_unmap(&r);
	EXPECT_EQ(try_setup(other, 4, 0, 0), 0);
	close(other);
	expect_no_use(ALICE);
	limits_default();
}

/* Close a ring, make another: at any limit, and with work in flight. */
static void at_once(void)
{
	struct wsq_sqe sqe = {
		.op = WSQ_OP_SHA256, .len = 1 << 20, .dst = 1 << 20,
	};
	uint64_t start = now_ns();
	unsigned int n, k;

	limits_set(1, 16, DEF_MEMORY);
	for (n = 0; n < part_of(300); n++) {
		struct ring r;

		ring_make(&r, open_as(ALICE), 8, 16, 2 << 20);
		for (k = 0; k < n % 9; k++)
			ring_push(&r, &sqe);
		EXPECT_EQ(ring_enter(&r, k, 0, 0), 0);
		EXPECT_EQ(r.e.submitted, k);
		ring_close(&r);
	}
	printf("# %u rings, one after another, %llu us each\n", n,
	       (unsigned long long)(now_ns() - start) / n / 1000);
	expect_no_use(ALICE);
	limits_default();
}

static void __attribute__((noreturn)) crowd(uint64_t seed, unsigned int rounds,
					    unsigned int *made, uint64_t user)
{
	/* Until some rings were made. */
	for (; rounds || __atomic_load_n(&made[1], __ATOMIC_RELAXED) < 3;
	     rounds -= !!rounds) {
		int fd = open_as(ALICE), ret;
		struct wsq_query q;

		ret = try_setup(fd, 4, 8, (rnd(&seed) % 4) * PAGE);
		if (ret && ret != EDQUOT)
			FAIL("SETUP: %s", strerror(ret));
		q = query_of(fd, 4, 8, 3 * PAGE);
		EXPECT(q.user_rings <= 3);
		EXPECT(q.user_tasks <= 24 && q.user_tasks % 8 == 0);
		EXPECT(q.user_memory <= 3 * q.memory + user);
		EXPECT(!q.user_memory == !q.user_rings);
		__atomic_fetch_add(&made[!ret], 1, __ATOMIC_RELAXED);
		if (rnd(&seed) % 2)
			usleep(rnd(&seed) % 3000);
		close(fd);
	}
	_exit(0);
}

/* Several at a time, never more than there may be. */
static void together(void)
{
	unsigned int *made = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const uint64_t user = user_bytes();
	pid_t pids[8];
	int status;
	unsigned int i;

	EXPECT(made != MAP_FAILED);
	limits_set(3, DEF_TASKS, DEF_MEMORY);
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		if (!pids[i])
			crowd(i + 1, part_of(240), made, user);
	}
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		EXPECT_EQ(waitpid(pids[i], &status, 0), pids[i]);
		EXPECT_EQ(status, 0);
	}
	printf("# %u rings made, %u refused\n", made[1], made[0]);
	expect_no_use(ALICE);
	limits_default();
	expect_rings(0);
}

/* Killed while they wait for a ring to be freed, in SETUP, or after it. */
static void killed(void)
{
	uint64_t seed = 5;
	int i, status;

	limits_set(1, DEF_TASKS, DEF_MEMORY);
	for (i = 0; i < (int)part_of(60); i++) {
		pid_t pid = fork();

		if (!pid) {
			for (;;) {
				int fd = open_as(ALICE);

				EXPECT_EQ(try_setup(fd, 64, 0, 64 * PAGE), 0);
				close(fd);
			}
		}
		usleep(rnd(&seed) % 40000);
		EXPECT_ERR(kill(pid, SIGKILL), 0);
		EXPECT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	expect_no_use(ALICE);
	limits_default();
	expect_rings(0);
}

/* As many users as allowed, and one more. */
static void users(void)
{
	static int fd[DEF_USERS + 1];
	unsigned int i;

	expect_rings(0);
	EXPECT_EQ(param_set("max_users", "512"), EINVAL);
	EXPECT_EQ(param_get_number("max_users"), DEF_USERS);
	for (i = 0; i <= DEF_USERS; i++) {
		test_at("users", i);
		fd[i] = open_as(STRANGERS + i);
		EXPECT_EQ(try_setup(fd[i], 1, 1, 0), i < DEF_USERS ? 0 : ENOSPC);
	}
	/* A user with rings may have more; one that has gone frees its slot. */
	act_as(STRANGERS + 1);
	i = dev_open();
	EXPECT_EQ(try_setup(i, 1, 1, 0), 0);
	close(i);
	close(fd[0]);
	expect_no_use(STRANGERS);
	act_as(STRANGERS + DEF_USERS);
	EXPECT_EQ(try_setup(fd[DEF_USERS], 1, 1, 0), 0);
	for (i = 1; i <= DEF_USERS; i++)
		close(fd[i]);
	act_as_root();
	expect_rings(0);
}

/* One opener passes its files to many users; slots are left for others. */
static void openers(void)
{
	int fd[DEF_OPENER_USERS + 2], more;
	unsigned int i;

	expect_rings(0);
	EXPECT_EQ(param_get_number("max_opener_users"), DEF_OPENER_USERS);
	for (i = 0; i <= DEF_OPENER_USERS; i++) {
		test_at("users", i);
		fd[i] = open_as(ALICE);
		act_as(STRANGERS + i);
		EXPECT_EQ(try_setup(fd[i], 1, 1, 0),
			  i < DEF_OPENER_USERS ? 0 : ENOSPC);
	}
	/* A user with a ring may have more. */
	act_as(STRANGERS);
	EXPECT_EQ(try_setup(fd[DEF_OPENER_USERS], 1, 1, 0), 0);
	/* The opener, another opener, and the same users by their own files. */
	more = open_as(ALICE);
	EXPECT_EQ(try_setup(more, 1, 1, 0), 0);
	close(more);
	more = open_as(BOB);
	EXPECT_EQ(try_setup(more, 1, 1, 0), 0);
	close(more);
	more = open_as(STRANGERS + DEF_OPENER_USERS);
	EXPECT_EQ(try_setup(more, 1, 1, 0), 0);
	close(more);
	/* An opener with CAP_SYS_RESOURCE can pass its files to any number. */
	param_set_number("max_opener_users", 0);
	act_as_root();
	more = dev_open();
	act_as(STRANGERS + DEF_OPENER_USERS + 1);
	EXPECT_EQ(try_setup(more, 1, 1, 0), 0);
	close(more);
	act_as(STRANGERS + DEF_OPENER_USERS + 2);
	fd[DEF_OPENER_USERS + 1] = open_as(BOB);
	act_as(STRANGERS + DEF_OPENER_USERS + 2);
	EXPECT_EQ(try_setup(fd[DEF_OPENER_USERS + 1], 1, 1, 0), ENOSPC);
	param_set_number("max_opener_users", DEF_OPENER_USERS);
	for (i = 0; i < ARRAY_SIZE(fd); i++)
		close(fd[i]);
	act_as_root();
	expect_rings(0);
}

/* A ring is charged to the opener of its file, too, unless that is capable. */
static void opener_charged(void)
{
	int fd[4];

	limits_set(2, DEF_TASKS, DEF_MEMORY);
	expect_no_use(ALICE);
	fd[0] = open_as(ALICE);
	fd[1] = open_as(ALICE);
	fd[2] = open_as(ALICE);
	act_as(BOB);
	EXPECT_EQ(try_setup(fd[0], 1, 1, 0), 0);
	act_as(STRANGERS);
	EXPECT_EQ(try_setup(fd[1], 1, 1, 0), 0);
	act_as(STRANGERS + 1);
	EXPECT_EQ(try_setup(fd[2], 1, 1, 0), EDQUOT);
	fd[3] = open_as(STRANGERS + 1);
	EXPECT_EQ(try_setup(fd[3], 1, 1, 0), 0);
	act_as(ALICE);
	EXPECT_EQ(query_of(fd[2], 0, 0, 0).user_rings, 2);
	EXPECT_EQ(try_setup(fd[2], 1, 1, 0), EDQUOT);
	/* The user of a closed ring may be another one. */
	close(fd[0]);
	EXPECT_EQ(try_setup(fd[2], 1, 1, 0), 0);
	close(fd[1]);
	close(fd[2]);
	close(fd[3]);
	expect_no_use(ALICE);
	expect_no_use(BOB);
	limits_default();
	expect_rings(0);
}

/* QUERY's answer, for programs compiled with any version. */
static void told(void)
{
	struct wsq_query q = { .size = 80, .user_rings = 0x55555555 };
	int fd = open_as(ALICE);

	limits_set(11, 12, 13);
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	EXPECT_EQ(q.max_user_rings, 0);
	EXPECT_EQ(q.max_user_memory, 0);
	EXPECT_EQ(q.user_rings, 0x55555555);
	q = query_of(fd, 0, 0, 0);
	EXPECT(q.features & WSQ_FEAT_RING_STATS);
	EXPECT_EQ(q.max_user_rings, 11);
	EXPECT_EQ(q.max_user_tasks, 12);
	EXPECT_EQ(q.max_user_memory, 13);
	limits_set(-1U, -1U, -1ULL);
	q = query_of(fd, 0, 0, 0);
	EXPECT_EQ(q.max_user_rings, -1U);
	EXPECT_EQ(q.max_user_tasks, -1U);
	EXPECT_EQ(q.max_user_memory, -1LL);
	limits_default();
	close(fd);
}

static void parameters(void)
{
	static const char *const names[] = {
		"max_user_rings", "max_user_tasks", "max_user_memory",
	};
	static const struct {
		const char *text;
		int err;
	} values[] = {
		{ "-1", EINVAL }, { "x", EINVAL }, { "1x", EINVAL },
		{ "1 2", EINVAL }, { "\n", EINVAL },
		{ "18446744073709551616", ERANGE },
		{ "0", 0 }, { "0x10", 0 }, { "7\n", 0 },
	};
	struct wsq_query q;
	unsigned int i, k;
	int fd = dev_open();

	limits_default();
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		for (k = 0; k < ARRAY_SIZE(values); k++) {
			test_at(names[i], k);
			EXPECT_EQ(param_set(names[i], values[k].text),
				  values[k].err);
		}
	}
	EXPECT_EQ(param_set("max_user_rings", "4294967296"), ERANGE);
	EXPECT_EQ(param_set("max_user_tasks", "4294967296"), ERANGE);
	q = query_of(fd, 0, 0, 0);
	EXPECT_EQ(q.max_user_rings, 7);
	EXPECT_EQ(q.max_user_tasks, 7);
	EXPECT_EQ(q.max_user_memory, 7);
	limits_default();
	/* The module has no parameter that opens the device to all users. */
	EXPECT_EQ(access("/sys/module/wsq/parameters/unprivileged", F_OK), -1);
}

static void restored(void)
{
	param_set_number("max_users", DEF_USERS);
	param_set("max_opener_users", "64");
	limits_default();
	expect_no_use(ALICE);
	expect_no_use(BOB);
	expect_rings(0);
	expect_usable();
}

static const struct test test_list[] = {
	{ "rings", rings },
	{ "memory", memory },
	{ "tasks", tasks },
	{ "exempt", exempt },
	{ "passed", passed },
	{ "given_back", given_back },
	{ "at_once", at_once },
	{ "together", together },
	{ "users", users },
	{ "openers", openers },
	{ "opener_charged", opener_charged },
	{ "killed", killed },
	{ "told", told },
	{ "parameters", parameters },
	{ "restored", restored },
};

TEST_MAIN(test_list)
