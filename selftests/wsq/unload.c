// SPDX-License-Identifier: GPL-2.0
/*
 * The module is loaded and unloaded: in a loop, while it is open, and right
 * after the last process with work in flight has been killed.
 */
#include "wsq_module.h"
#include "wsq_poll.h"

#include <sys/stat.h>
#include <sys/sysinfo.h>

static void expect_unloaded(void)
{
	EXPECT(!module_loaded());
	EXPECT_ERR(open(WSQ_DEVICE, O_RDWR), ENOENT);
	/* An ended thread is visible for a moment. */
	EVENTUALLY(threads("wsq") == 0);
}

static void loop(void)
{
	int i;

	expect_loaded();
	for (i = 0; i < 10; i++) {
		if (i % 2)
			expect_usable();
		EXPECT_EQ(module_unload(), 0);
		expect_unloaded();
		EXPECT_EQ(module_unload(), ENOENT);
		EXPECT_EQ(module_load(), 0);
		EXPECT_EQ(module_load(), EEXIST);
		expect_device();
	}
	expect_usable();
}

static void while_open(void)
{
	struct ring r;
	int fd;

	expect_loaded();
	fd = dev_open();
	/* The kernel's error for a module in use; EWOULDBLOCK is EAGAIN. */
	EXPECT_EQ(module_unload(), EWOULDBLOCK);
	close(fd);

	/* A mapping keeps it, too. */
	ring_open(&r, 4, 0, 4096);
	close(r.fd);
	EXPECT_EQ(module_unload(), EWOULDBLOCK);
	r.arena[0] = 1;
	ring_unmap(&r);
	EXPECT_EQ(module_unload(), 0);
	expect_unloaded();
	EXPECT_EQ(module_load(), 0);
	expect_device();
	expect_usable();
}

/* Kinds of rings, with all objects of each. */
static const struct {
	unsigned int flags;
	bool shared;
} kinds[] = {
	{ 0 },
	{ .flags = WSQ_SETUP_KEYS | WSQ_SETUP_IDS },
	{ .flags = WSQ_SETUP_POLL },
	{ .flags = WSQ_SETUP_POLL | WSQ_SETUP_KEYS },
	{ .flags = WSQ_SETUP_POLL | WSQ_SETUP_KEYS, .shared = true },
};

/*
 * A ring of a kind, and another one if it shares that one's poller. The poller
 * is awake for a second, so it takes entries soon.
 */
static void kind_open(unsigned int kind, struct ring r[2], uint64_t arena)
{
	int i, nr = 1 + kinds[kind].shared;

	for (i = 0; i < nr; i++) {
		unsigned int flags = kinds[kind].flags;

		r[i] = (struct ring) {
			.fd = dev_open(),
			.s.sq_entries = 256, .s.arena_size = arena,
		};
		if (i)
			flags |= WSQ_SETUP_POLL_SHARE;
		EXPECT_ERR(setup(r[i].fd, flags,
				 flags & WSQ_SETUP_POLL && !i ? SECOND : 0,
				 i ? r[0].fd : 0, &r[i].s), 0);
		ring_map(&r[i]);
	}
}

/* Tasks for milliseconds, of two keys if it has them, and links and drains. */
static void kind_fill(unsigned int kind, struct ring *r)
{
	const bool keyed = kinds[kind].flags & WSQ_SETUP_KEYS;
	int i;

	for (i = 0; i < 200; i++) {
		struct wsq_sqe sqe = {
			.op = i % 4 ? WSQ_OP_NOP : WSQ_OP_CRC32C,
			.flags = (keyed ? WSQ_SQE_KEY : 0) |
				 (i % 16 == 5 ? WSQ_SQE_LINK : 0) |
				 (i == 100 ? WSQ_SQE_DRAIN : 0),
			.key = keyed ? i % 2 : 0,
			.len = i % 4 ? 0 : r->s.arena_bytes,
		};

		ring_push(r, &sqe);
	}
	if (kinds[kind].flags & WSQ_SETUP_POLL)
		submit(r);
	else
		EXPECT_EQ(ring_enter(r, 200, 0, 0), 0);
}

/*
 * With any kind of ring, with a thread or without, idle or with work in flight,
 * the module stays as long as a file or a mapping, and no longer.
 */
static void kinds_open(void)
{
	unsigned int i;
	struct ring r[2];

	expect_loaded();
	for (i = 0; i < 2 * ARRAY_SIZE(kinds); i++) {
		const unsigned int kind = i / 2;
		const bool polled = kinds[kind].flags & WSQ_SETUP_POLL;
		struct ring *last = &r[kinds[kind].shared];

		test_at("kinds", i);
		kind_open(kind, r, 4 << 20);
		EXPECT_EQ(module_unload(), EWOULDBLOCK);
		EXPECT_EQ(threads("wsq-P"), polled);
		if (i % 2) {
			kind_fill(kind, r);
			if (last != r)
				kind_fill(kind, last);
		}
		/* The poller outlives the ring that it was made for. */
		if (last != r) {
			ring_close(r);
			EXPECT_EQ(module_unload(), EWOULDBLOCK);
			EXPECT_EQ(threads("wsq-P"), 1);
		}
		/* A mapping keeps it like the file. */
		close(last->fd);
		EXPECT_EQ(module_unload(), EWOULDBLOCK);
		if (i % 2) {
			ring_push_nop(last, 1);
			publish(last);
		}
		ring_unmap(last);
		/* At once. */
		EXPECT_EQ(module_unload(), 0);
		expect_unloaded();
		EXPECT_EQ(module_load(), 0);
		expect_device();
	}
	expect_usable();
}

static void __attribute__((noreturn)) worker(uint64_t seed)
{
	const unsigned int kind = seed % ARRAY_SIZE(kinds);
	const bool keyed = kinds[kind].flags & WSQ_SETUP_KEYS;
	const bool polled = kinds[kind].flags & WSQ_SETUP_POLL;
	const uint64_t arena = 4 << 20;
	struct ring both[2], r;

	kind_open(kind, both, arena);
	/* The other one, if there are two, only provides the poller. */
	r = both[0];
	for (;;) {
		int n;

		for (n = 0; n < 200 && r.tail - r.page->sq_head < 256; n++) {
			struct wsq_sqe sqe = { .op = WSQ_OP_NOP };

			if (rnd(&seed) % 8 == 0) {
				sqe.op = WSQ_OP_CRC32C;
				sqe.len = 1 + rnd(&seed) % arena;
			}
			if (keyed && rnd(&seed) % 2) {
				sqe.flags = WSQ_SQE_KEY;
				sqe.key = rnd(&seed) % 4;
			}
			ring_push(&r, &sqe);
		}
		if (polled)
			submit(&r);
		ring_enter(&r, polled ? 0 : -1, rnd(&seed) % 100, MSEC);
		while (ring_peek(&r))
			ring_seen(&r);
	}
}

/* Unloadable once the last file is closed, with tasks still in flight. */
static void under_load(void)
{
	uint64_t seed = 1, slowest = 0;
	int i, k;

	expect_loaded();
	for (i = 0; i < (int)part_of(10); i++) {
		pid_t pids[4];
		uint64_t end, t;
		int ret;

		for (k = 0; k < 4; k++) {
			pids[k] = fork();
			if (!pids[k])
				worker(1 + 4 * i + k);
		}
		await_rings(4);
		usleep(rnd(&seed) % 100000);
		EXPECT_EQ(module_unload(), EWOULDBLOCK);
		for (k = 0; k < 4; k++)
			kill(pids[k], SIGKILL);
		/* Soon: exit() may close files after wait() returned. */
		end = now_ns() + TIMEOUT_S;
		do {
			t = now_ns();
			ret = module_unload();
			t = now_ns() - t;
		} while (ret == EWOULDBLOCK && now_ns() < end);
		EXPECT_EQ(ret, 0);
		if (t > slowest)
			slowest = t;
		expect_unloaded();
		for (k = 0; k < 4; k++)
			EXPECT_EQ(waitpid(pids[k], NULL, 0), pids[k]);
		EXPECT_EQ(module_load(), 0);
		expect_device();
	}
	expect_usable();
	printf("# slowest unload %llu ms\n",
	       (unsigned long long)(slowest / MSEC));
	fflush(stdout);
}

/* open() and unload at the same time: exactly one succeeds. */
static void race(void)
{
	enum { ROUNDS = 4000, LOADS = 40 };
	pid_t pids[2];
	int i, loads = 0;

	expect_loaded();
	for (i = 0; i < 2; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			for (;;) {
				int fd = open(WSQ_DEVICE, O_RDWR);
				struct ring r;

				if (fd < 0)
					continue;
				ring_make(&r, fd, 8, 0, 0);
				ring_push_nop(&r, 0);
				ring_enter(&r, 1, 0, 0);
				ring_close(&r);
			}
		}
	}
	for (i = 0; i < (int)part_of(ROUNDS) && loads < (int)part_of(LOADS); i++) {
		if (!module_unload()) {
			EXPECT_EQ(module_load(), 0);
			loads++;
		}
	}
	for (i = 0; i < 2; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	printf("# %d unloads\n", loads);
	fflush(stdout);
	expect_usable();
}

/* The parameter in sysfs, which is read-only. */
static void expect_fence(const char *want)
{
	static const char path[] = "/sys/module/wsq/parameters/fence";
	char buf[16] = "";
	struct stat st;
	int fd = open(path, O_RDONLY);

	EXPECT(fd >= 0);
	EXPECT(read(fd, buf, sizeof(buf) - 1) > 0);
	close(fd);
	buf[strcspn(buf, "\n")] = 0;
	EXPECT(!strcmp(buf, want));
	EXPECT_ERR(stat(path, &st), 0);
	EXPECT_EQ(st.st_mode & 0777, 0444);
}

static void fence_mode(void)
{
	static const char *const bad[] = {
		"fence", "fence=", "fence=CAS", "fence=ipi,cas", "fence=1",
	};
	unsigned int i;

	expect_loaded();
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!i)
			EXPECT_EQ(module_unload(), 0);
		EXPECT_EQ(module_load_with(bad[i]), EINVAL);
		expect_unloaded();
	}
	EXPECT_EQ(module_load_with("fence=cas"), 0);
	expect_device();
	expect_fence("cas");
	expect_usable();
	EXPECT_EQ(module_unload(), 0);
	EXPECT_EQ(module_load_with("fence=ipi"), 0);
	expect_device();
	expect_fence("ipi");
	EXPECT_EQ(module_unload(), 0);
	EXPECT_EQ(module_load(), 0);
	expect_device();
	expect_fence("ipi");
	expect_usable();
}

static const struct test tests[] = {
	{ "loop", loop },
	{ "fence_mode", fence_mode },
	{ "while_open", while_open },
	{ "kinds", kinds_open },
	{ "under_load", under_load },
	{ "race", race },
};

TEST_MAIN(tests)
