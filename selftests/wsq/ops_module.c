// SPDX-License-Identifier: GPL-2.0
/*
 * Ops of another module, wsq_count.ko: results and refusals, registering and
 * unregistering under use, permission. WSQ_KO names wsq.ko; the other module is
 * looked for beside it.
 */
#include "wsq_test.h"
#include "wsq_module.h"

#include <stdbool.h>

#define ARENA	(1ULL << 20)
#define MAX	(16ULL << 20)

static char count_path[300];

static int count_load(const char *parameters)
{
	const char *wsq = module_path(), *slash = strrchr(wsq, '/');
	int fd, ret;

	snprintf(count_path, sizeof(count_path), "%.*swsq_count.ko",
		 slash ? (int)(slash - wsq) + 1 : 0, wsq);
	fd = open(count_path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		SKIP("no %s", count_path);
	ret = syscall(SYS_finit_module, fd, parameters, 0) ? errno : 0;
	close(fd);
	return ret;
}

static int count_unload(void)
{
	return syscall(SYS_delete_module, "wsq_count", O_NONBLOCK) ? errno : 0;
}

/* QUERY's entry of the op of this name; false if there is none. */
static int op_find(const char *name, struct wsq_op_info *info)
{
	struct wsq_op_info ops[64];
	struct wsq_query q = {
		.size = sizeof(q), .nr_ops = 64, .ops = (uintptr_t)ops,
	};
	int fd = dev_open();
	unsigned int i;

	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	close(fd);
	EXPECT(q.nr_ops <= 64);
	for (i = 0; i < q.nr_ops; i++) {
		if (strcmp(ops[i].name, name))
			continue;
		*info = ops[i];
		return 1;
	}
	return 0;
}

static void count_anew(const char *parameters)
{
	count_unload();
	EXPECT_EQ(count_load(parameters), 0);
}

static void registered(void)
{
	struct wsq_op_info info, later;
	struct wsq_vec v[2] = { { 100, 20000 }, { 50000, 20000 } };
	struct wsq_sqe sqe;
	struct ring r;

	count_anew("");
	EXPECT(op_find("count", &info));
	EXPECT(info.op >= WSQ_OP_REGISTERED);
	EXPECT_EQ(info.flags, WSQ_OPF_VEC);
	EXPECT_EQ(info.max_len, MAX);
	/* A second op of the same name is refused. */
	EXPECT_EQ(count_load(""), EEXIST);

	ring_open(&r, 4, 0, ARENA);
	memset(r.arena, 'x', ARENA);
	memset(r.arena + 90, 'y', 40000);
	memcpy(r.arena, v, sizeof(v));
	sqe = (struct wsq_sqe) { .op = info.op, .src = 80, .len = 50000,
				 .arg = 'y' };
	EXPECT_EQ(ring_do(&r, &sqe), 40000);
	sqe.flags = WSQ_SQE_VEC;
	sqe.src = 0;
	sqe.len = 2;
	EXPECT_EQ(ring_do(&r, &sqe), 20000);
	sqe.arg = 'x';
	EXPECT_EQ(ring_do(&r, &sqe), 20000);
	/* Its own checks, and those that the module makes for every op. */
	sqe.arg = 256;
	EXPECT_EQ(ring_do(&r, &sqe), -EINVAL);
	sqe.arg = 'x';
	sqe.dst = 1;
	EXPECT_EQ(ring_do(&r, &sqe), -EINVAL);
	sqe.dst = 0;
	sqe.flags = 0;
	sqe.src = ARENA - 1;
	EXPECT_EQ(ring_do(&r, &sqe), -EFAULT);
	sqe.len = MAX + 1;
	EXPECT_EQ(ring_do(&r, &sqe), -E2BIG);
	sqe.op = info.op + 1;
	EXPECT_EQ(ring_do(&r, &sqe), -EOPNOTSUPP);

	/* Unregistered, and registered with another number. */
	EXPECT_EQ(count_unload(), 0);
	EXPECT(!op_find("count", &later));
	sqe = (struct wsq_sqe) { .op = info.op, .len = 100 };
	EXPECT_EQ(ring_do(&r, &sqe), -EOPNOTSUPP);
	count_anew("");
	EXPECT(op_find("count", &later));
	EXPECT(later.op > info.op);
	EXPECT_EQ(ring_do(&r, &sqe), -EOPNOTSUPP);
	sqe.op = later.op;
	sqe.arg = 'y';
	EXPECT_EQ(ring_do(&r, &sqe), 10);
	EXPECT_EQ(count_unload(), 0);
	ring_close(&r);
}

/* Comes and goes while it is used, before and behind all kinds of tasks. */
static void registered_flickers(void)
{
	enum { BATCHES = 800 };
	uint64_t seed = 99, ran = 0, gone = 0;
	unsigned int i, op = 0, loads = 0, batches;
	struct wsq_op_info info;
	struct ring r;
	pid_t pid;

	count_anew("");
	EXPECT(op_find("count", &info));
	op = info.op;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			usleep(1000 + rnd(&seed) % 100000);
			/* Unloading does not wait for tasks submitted here. */
			if (count_unload())
				_exit(1);
			if (count_load(""))
				_exit(2);
		}
	}
	ring_open(&r, 256, 256, ARENA);
	/* Where loading is slow, it takes long to see both states. */
	for (batches = 0; batches < part_of(BATCHES) || !ran || !gone || !loads;
	     batches++) {
		struct wsq_cancel c = { .size = sizeof(c) };

		if (op_find("count", &info)) {
			loads += info.op != op;
			op = info.op;
		}
		for (i = 0; i < 256; i++) {
			struct wsq_sqe sqe = { .op = op, .len = 4096,
					       .user_data = i };

			if (rnd(&seed) % 8 == 0)
				sqe.flags |= WSQ_SQE_LINK;
			else if (rnd(&seed) % 32 == 0)
				sqe.flags |= WSQ_SQE_DRAIN;
			if (sqe.flags & WSQ_SQE_DRAIN && i &&
			    r.sqes[(r.tail - 1) % 256].flags & WSQ_SQE_LINK)
				sqe.flags = 0;
			ring_push(&r, &sqe);
		}
		EXPECT_EQ(ring_enter(&r, 256, 0, 0), 0);
		EXPECT_EQ(r.e.submitted, 256);
		c.flags = WSQ_CANCEL_USER_DATA;
		c.what = rnd(&seed) % 256;
		ioctl(r.fd, WSQ_IOC_CANCEL, &c);
		EXPECT_EQ(ring_enter(&r, 0, 256, TIMEOUT_S), 0);
		for (i = 0; i < 256; i++) {
			long long res = ring_take(&r).res;

			ran += res == 4096;
			gone += res == -EOPNOTSUPP;
			if (res != 4096 && res != -EOPNOTSUPP &&
			    res != -ECANCELED)
				FAIL("count gives %lld", res);
		}
	}
	EXPECT(!kill(pid, SIGKILL));
	EXPECT_EQ(waitpid(pid, (int *)&i, 0), pid);
	if (WIFEXITED(i))
		FAIL("%s failed", WEXITSTATUS(i) == 1 ? "rmmod" : "insmod");
	ring_close(&r);
	count_unload();
	printf("# ran %llu, gone %llu, loaded %u times\n",
	       (unsigned long long)ran, (unsigned long long)gone, loads);
}

/* False if the tasks in front were over before the check. */
static bool behind_once(void)
{
	struct wsq_sqe slow = { .op = WSQ_OP_SHA512, .len = MAX, .dst = MAX,
				.flags = WSQ_SQE_LINK };
	struct wsq_op_info info;
	struct wsq_sqe sqe = { .len = 1, .user_data = 1 };
	unsigned int i, gone = 0;
	struct wsq_cancel c = { .size = sizeof(c), .flags = WSQ_CANCEL_USER_DATA };
	struct ring r;

	count_anew("");
	EXPECT(op_find("count", &info));
	sqe.op = info.op;
	ring_open(&r, 64, 64, 2 * MAX);
	for (i = 0; i < 32; i++)
		ring_push(&r, &slow);
	for (i = 0; i < 32; i++) {
		sqe.flags = i < 16 ? WSQ_SQE_LINK : WSQ_SQE_DRAIN;
		if (i == 16)
			sqe.flags = 0;
		ring_push(&r, &sqe);
	}
	EXPECT_EQ(ring_enter(&r, 64, 0, 0), 0);
	EXPECT_EQ(r.e.submitted, 64);
	EXPECT_EQ(count_unload(), 0);
	EXPECT_EQ(ring_enter(&r, 0, 0, 0), 0);
	/* The slow ones need not be waited for either. */
	if (r.e.completed >= 32 || ioctl(r.fd, WSQ_IOC_CANCEL, &c)) {
		ring_close(&r);
		return false;
	}
	EXPECT_EQ(ring_enter(&r, 0, 64, TIMEOUT_S), 0);
	for (i = 0; i < 64; i++) {
		struct wsq_cqe cqe = ring_take(&r);

		gone += cqe.user_data && cqe.res == -EOPNOTSUPP;
		EXPECT(cqe.user_data ? cqe.res == -EOPNOTSUPP ||
		       cqe.res == -ECANCELED : 1);
	}
	EXPECT(gone >= 15);
	ring_close(&r);
	return true;
}

/* Waiting tasks do not block unloading of the op's module. */
static void registered_behind(void)
{
	int i;

	for (i = 0; i < TRIES && !behind_once(); i++)
		;
	if (i == TRIES)
		SKIP("the tasks in front were over in each try");
}

struct caps {
	struct { uint32_t version; int pid; } head;
	struct { uint32_t effective, permitted, inheritable; } data[2];
};

#define CAP_SYS_NICE	23

static void set_nice(int on)
{
	struct caps c = { .head.version = 0x20080522 };

	EXPECT_ERR(syscall(SYS_capget, &c.head, c.data), 0);
	if (on)
		c.data[0].effective |= 1U << CAP_SYS_NICE;
	else
		c.data[0].effective &= ~(1U << CAP_SYS_NICE);
	EXPECT_ERR(syscall(SYS_capset, &c.head, c.data), 0);
}

/* The opener's capability counts, not the submitter's. */
static void capability(void)
{
	struct wsq_op_info info;
	struct wsq_sqe sqe = { .len = 1 }, nop = { .op = WSQ_OP_NOP };
	struct ring with, without;

	count_unload();
	EXPECT_EQ(count_load("cap=64"), EINVAL);
	EXPECT_EQ(count_load("cap=-2"), EINVAL);
	count_anew("cap=23");
	EXPECT(op_find("count", &info));
	EXPECT_EQ(info.flags, WSQ_OPF_VEC | WSQ_OPF_CAP);
	EXPECT_EQ(info.cap, CAP_SYS_NICE);
	sqe.op = info.op;

	ring_open(&with, 4, 0, 4096);
	set_nice(0);
	ring_open(&without, 4, 0, 4096);
	EXPECT_EQ(ring_do(&with, &sqe), 1);
	EXPECT_EQ(ring_do(&without, &sqe), -EPERM);
	set_nice(1);
	EXPECT_EQ(ring_do(&with, &sqe), 1);
	EXPECT_EQ(ring_do(&without, &sqe), -EPERM);
	/* That error comes before others, and the ring still works. */
	sqe.len = 0;
	EXPECT_EQ(ring_do(&without, &sqe), -EPERM);
	EXPECT_EQ(ring_do(&with, &sqe), -EINVAL);
	EXPECT_EQ(ring_do(&without, &nop), 0);
	ring_close(&with);
	ring_close(&without);
	EXPECT_EQ(count_unload(), 0);
}

/* RESTRICT accepts their numbers like others. */
static void registered_restricted(void)
{
	struct wsq_op_info info;
	struct wsq_sqe sqe = { .len = 1 };
	int i;

	count_anew("");
	EXPECT(op_find("count", &info));
	sqe.op = info.op;
	for (i = 0; i < 2; i++) {
		uint32_t may[] = { WSQ_OP_NOP, info.op };
		struct wsq_restrict res = {
			.size = sizeof(res), .nr_ops = 1 + i,
			.ops = (uintptr_t)may,
		};
		struct ring r = {
			.fd = dev_open(), .s.size = sizeof(r.s),
			.s.sq_entries = 4, .s.arena_size = 4096,
			.s.flags = WSQ_SETUP_DISABLED,
		};

		EXPECT_ERR(ioctl(r.fd, WSQ_IOC_SETUP, &r.s), 0);
		ring_map(&r);
		EXPECT_ERR(ioctl(r.fd, WSQ_IOC_RESTRICT, &res), 0);
		EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENABLE, 0), 0);
		EXPECT_EQ(ring_do(&r, &sqe), i ? 1 : -EPERM);
		sqe.flags = WSQ_SQE_VEC;
		EXPECT_EQ(ring_do(&r, &sqe), -EPERM);
		sqe.flags = 0;
		ring_close(&r);
	}
	EXPECT_EQ(count_unload(), 0);
}

static const struct test tests[] = {
	{ "registered", registered },
	{ "flickers", registered_flickers },
	{ "behind", registered_behind },
	{ "restricted", registered_restricted },
	{ "capability", capability },
};

TEST_MAIN(tests)
