// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations that fail, one by one, in operations of programs: loading the
 * module, its first queue, a sample, opening, SETUP and mapping a ring, and
 * ENTER. The caller gets ENOMEM, nothing is left behind, and the next attempt
 * succeeds. For the in-kernel API, see kmod/tests/nomem_kunit.c.
 *
 * Needs a kernel with fault injection and its filter by stack (the laboratory's
 * debug kernel); skipped elsewhere. Modules are looked for in /lib/modules/wsq,
 * or $WSQ_MODULES. Leaves the module loaded. Takes two minutes emulated.
 *
 * Limitations: while the module is being loaded, the process's allocations fail
 * in any module.
 */
#include "wsq_poll.h"

#include <sys/syscall.h>

#define PAGE	4096UL
#define FAULTS	"/sys/kernel/debug/"

/* More allocations than any operation here makes. */
#define NTH_MAX	2000

/* x86-64's module area: a stack that includes it is one of ours. */
#define MODULES_START	"0xffffffffa0000000"
#define MODULES_END	"0xffffffffff000000"

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = -1;

	if (fd >= 0) {
		ret = write(fd, text, strlen(text)) < 0 ? -1 : 0;
		close(fd);
	}
	return ret;
}

static void read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n < 0 ? 0 : n] = 0;
}

/* Selects only stacks through the module's functions; it is loaded. */
static void find_text(char *start, char *end, size_t size)
{
	unsigned long long first = -1ULL, last = 0;
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512];

	EXPECT(f);
	while (fgets(line, sizeof(line), f)) {
		unsigned long long addr;
		char type;

		if (!strstr(line, "\t[wsq]") ||
		    sscanf(line, "%llx %c", &addr, &type) != 2 ||
		    (type != 't' && type != 'T'))
			continue;
		if (addr < first)
			first = addr;
		if (addr > last)
			last = addr;
	}
	fclose(f);
	EXPECT(last > first);
	snprintf(start, size, "%#llx", first);
	snprintf(end, size, "%#llx", (last | (PAGE - 1)) + 1);
}

static void set_range(const char *start, const char *end)
{
	if (write_file(FAULTS "failslab/require-start", start) ||
	    write_file(FAULTS "failslab/require-end", end) ||
	    write_file(FAULTS "fail_page_alloc/require-start", start) ||
	    write_file(FAULTS "fail_page_alloc/require-end", end))
		SKIP("faults cannot be selected by stack");
}

static void set_text(void)
{
	char start[32], end[32];

	find_text(start, end, sizeof(start));
	set_range(start, end);
}

static int load_with(const char *name, const char *parameters)
{
	const char *dir = getenv("WSQ_MODULES");
	char path[200];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s.ko", dir ? dir : "/lib/modules/wsq",
		 name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		SKIP("no %s, WSQ_MODULES is not set", path);
	ret = syscall(SYS_finit_module, fd, parameters, 0) ? errno : 0;
	close(fd);
	return ret;
}

static int load(const char *name)
{
	return load_with(name, "");
}

/* Only now: earlier work has ended, because the file is closed. */
static void unload(const char *name)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	int ret;

	do {
		ret = syscall(SYS_delete_module, name, O_NONBLOCK) ? errno : 0;
	} while (ret == EWOULDBLOCK && now_ns() < end);
	EXPECT(!ret || ret == ENOENT);
}

/* Restores the initial state. */
static void reload(void)
{
	uint64_t end = now_ns() + TIMEOUT_S;

	EXPECT_EQ(load("wsq"), 0);
	while (access(WSQ_DEVICE, F_OK) && now_ns() < end)
		usleep(1000);
	expect_usable();
}

static void set_faults(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc" };
	static const char *const knobs[][2] = {
		{ "verbose", "0" },
		{ "probability", "0" },
		{ "ignore-gfp-wait", "N" },
	};
	char path[100];
	unsigned int i, k;

	if (access("/proc/thread-self/fail-nth", W_OK))
		SKIP("no fault injection in this kernel");
	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		for (i = 0; i < ARRAY_SIZE(knobs); i++) {
			snprintf(path, sizeof(path), FAULTS "%s/%s", kinds[k],
				 knobs[i][0]);
			if (write_file(path, knobs[i][1]))
				SKIP("cannot set %s", path);
		}
	}
	if (write_file(FAULTS "fail_page_alloc/ignore-gfp-highmem", "N") ||
	    write_file(FAULTS "fail_page_alloc/min-order", "0"))
		SKIP("cannot set " FAULTS "fail_page_alloc");
	if (access("/sys/module/wsq/initstate", F_OK))
		reload();
	set_text();
}

/* An attempt: the nth allocation of a task fails. */
struct attempt {
	char path[64];
	int nth;
	int left;		/* did not come to it */
	int failed;		/* attempts that said so */
};

static void attempt_init(struct attempt *a, const char *task)
{
	memset(a, 0, sizeof(*a));
	snprintf(a->path, sizeof(a->path), "/proc/%s/fail-nth", task);
}

static void attempt_begin(struct attempt *a)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", ++a->nth);
	EXPECT_ERR(write_file(a->path, text), 0);
}

/* Ends an attempt; @err: its error. False if nothing was left to fail. */
static int attempt_end(struct attempt *a, int err)
{
	char text[16];

	read_file(a->path, text, sizeof(text));
	EXPECT_ERR(write_file(a->path, "0"), 0);
	a->left = atoi(text);
	if (err) {
		if (err != ENOMEM || a->left)
			FAIL("attempt %d: %s, %d left", a->nth, strerror(err),
			     a->left);
		a->failed++;
	}
	EXPECT(a->nth < NTH_MAX);
	return !a->left;
}

static void attempts_over(const struct attempt *a, const char *what)
{
	printf("# %s: %d allocations, %d of them needed\n", what, a->nth - 1,
	       a->failed);
	fflush(stdout);
	EXPECT(a->failed > 0);
}

static void loading(void)
{
	struct attempt a;
	int err;

	set_faults();
	attempt_init(&a, "thread-self");
	unload("wsq");
	set_range(MODULES_START, MODULES_END);
	do {
		attempt_begin(&a);
		err = load("wsq");
		if (err)
			EXPECT(access("/sys/module/wsq/initstate", F_OK));
		else
			unload("wsq");
	} while (attempt_end(&a, err));
	attempts_over(&a, "loading");
	reload();
}

/* The first queue starts the workers. */
static void first_queue(void)
{
	struct attempt a;
	int err;

	set_faults();
	attempt_init(&a, "thread-self");
	do {
		unload("wsq");
		EXPECT_EQ(load("wsq"), 0);
		set_text();
		attempt_begin(&a);
		err = load("wsq_sample");
		if (!err)
			unload("wsq_sample");
	} while (attempt_end(&a, err));
	attempts_over(&a, "first queue");
	EXPECT_EQ(load("wsq_sample"), 0);
	unload("wsq_sample");
	expect_usable();
}

/* Allocations of the sample itself, and its queue: workers exist by now. */
static void sample(void)
{
	struct attempt a;
	int err;

	set_faults();
	EXPECT_EQ(load("wsq_sample"), 0);
	unload("wsq_sample");
	attempt_init(&a, "thread-self");
	set_range(MODULES_START, MODULES_END);
	do {
		attempt_begin(&a);
		err = load_with("wsq_tree", "vertices=500");
		if (err)
			EXPECT(access("/sys/module/wsq_tree", F_OK));
		else
			unload("wsq_tree");
	} while (attempt_end(&a, err));
	attempts_over(&a, "a tree");
	expect_usable();
}

/* Kinds of rings, by what SETUP allocates. */
static const struct {
	const char *what;
	unsigned int flags;
} kinds[] = {
	{ "a ring", 0 },
	{ "with keys", WSQ_SETUP_KEYS | WSQ_SETUP_IDS },
	{ "polled", WSQ_SETUP_POLL },
	{ "polled, with keys", WSQ_SETUP_POLL | WSQ_SETUP_KEYS },
	{ "poller shared, with keys", SHARE | WSQ_SETUP_KEYS },
};

/* Tests that it works: a task of a key, or two. */
static void kind_try(struct ring *r)
{
	struct wsq_sqe sqe = { .op = WSQ_OP_NOP };

	if (r->s.flags & WSQ_SETUP_KEYS)
		sqe.flags = WSQ_SQE_KEY;
	ring_push(r, &sqe);
	sqe.key = r->s.flags & WSQ_SETUP_KEYS;
	ring_push(r, &sqe);
	if (r->s.flags & WSQ_SETUP_POLL) {
		submit(r);
		await(r);
		await(r);
	} else {
		EXPECT_EQ(ring_enter(r, 2, 2, TIMEOUT_S), 0);
		EXPECT_EQ(ring_take(r).res, 0);
		EXPECT_EQ(ring_take(r).res, 0);
	}
}

/* open() and SETUP; the next SETUP of the same file succeeds. */
static void setup_kind(unsigned int kind)
{
	const unsigned int flags = kinds[kind].flags;
	const bool shares = flags & WSQ_SETUP_POLL_SHARE;
	struct ring r, other;
	struct attempt a;
	int ret, err;

	/* The queue of all rings is made with the first ring. */
	expect_usable();
	if (shares)
		poll_open(&other, 1000, 8, 0);
	attempt_init(&a, "thread-self");
	do {
		unsigned int had = pollers();

		memset(&r, 0, sizeof(r));
		r.s.sq_entries = 64;
		r.s.arena_size = 8 * PAGE;
		attempt_begin(&a);
		r.fd = open(WSQ_DEVICE, O_RDWR | O_CLOEXEC);
		err = errno;
		ret = r.fd < 0 ? -1 : setup(r.fd, flags, 0,
					    shares ? other.fd : 0, &r.s);
		if (r.fd >= 0)
			err = errno;
		if (r.fd >= 0 && ret) {
			EXPECT_ERR(write_file(a.path, "0"), 0);
			/* Objects made before the failure are freed. */
			EVENTUALLY(pollers() == had);
			r.s = (struct wsq_setup) {
				.sq_entries = 64, .arena_size = 8 * PAGE,
			};
			EXPECT_ERR(setup(r.fd, flags, 0,
					 shares ? other.fd : 0, &r.s), 0);
		}
		if (r.fd >= 0) {
			/* The following calls must not fail. */
			err = ret ? err : 0;
			attempt_end(&a, err);
			ring_map(&r);
			kind_try(&r);
			ring_close(&r);
		} else {
			attempt_end(&a, err);
		}
		EVENTUALLY(pollers() == shares);
		if (shares)
			EXPECT_EQ(fdinfo_at(&other, "wsq_poller_rings", NULL), 1);
	} while (!a.left);
	attempts_over(&a, kinds[kind].what);
	if (shares) {
		kind_try(&other);
		ring_close(&other);
	}
	EVENTUALLY(pollers() == 0);
	expect_rings(0);
	expect_usable();
}

static void setup_each(void)
{
	unsigned int kind;

	set_faults();
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		test_at("kinds", kind);
		setup_kind(kind);
	}
}

/* Mapping, first use of the mapping, submitting and waiting. */
static void use(void)
{
	struct wsq_sqe sqe = { .op = WSQ_OP_SHA256, .len = 64, .dst = PAGE };
	struct wsq_sqe crc = { .op = WSQ_OP_CRC32C, .len = 64 };
	struct attempt a;
	int err = 0;

	set_faults();
	attempt_init(&a, "thread-self");
	do {
		struct wsq_setup s = {
			.size = sizeof(s), .sq_entries = 8,
			.arena_size = 2 * PAGE,
		};
		struct ring r = { .fd = dev_open(), .s = s };
		void *p;

		EXPECT_ERR(ioctl(r.fd, WSQ_IOC_SETUP, &r.s), 0);
		attempt_begin(&a);
		p = mmap(NULL, r.s.sqes_bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED, r.fd, WSQ_OFF_SQES);
		err = p == MAP_FAILED ? errno : 0;
		if (!err) {
			munmap(p, r.s.sqes_bytes);
			ring_map(&r);
			ring_push(&r, &sqe);
			ring_push(&r, &crc);
			err = -ring_enter(&r, 2, 2, TIMEOUT_S);
		}
		if (!err) {
			EXPECT_EQ(ring_take(&r).res >= 0, 1);
			EXPECT_EQ(ring_take(&r).res >= 0, 1);
			ring_close(&r);
		} else {
			close(r.fd);
		}
	} while (attempt_end(&a, err));
	/* SETUP has allocated all memory: possibly nothing can fail. */
	printf("# use: %d allocations, %d of them needed\n", a.nth - 1,
	       a.failed);
	fflush(stdout);
	expect_rings(0);
	expect_usable();
}

static const struct test tests[] = {
	{ "loading", loading },
	{ "first_queue", first_queue },
	{ "sample", sample },
	{ "setup", setup_each },
	{ "use", use },
};

TEST_MAIN(tests)
