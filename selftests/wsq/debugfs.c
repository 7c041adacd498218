// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/wsq and the tracepoints: shown values are exact to the last
 * item; invalid input; switching on and off under load; unloading the module
 * while it collects and while a process reads.
 *
 * Needs root, debugfs and, for two tests, tracefs in their usual places. A
 * kernel without tracepoints cannot collect, and that is what is tested there.
 * WSQ_TORTURE_KO names wsq_torture.ko, else it is looked for beside wsq.ko.
 */
#include "wsq_debugfs.h"

#include <sched.h>

/* How often to check, every 10 ms, for something that comes at last. */
#define LOOKS	((int)(TIMEOUT_S / (10 * MSEC)))

/* @nr tasks should be seen; false if they were over before the first look. */
static bool queue_seen(const struct queue *before, uint64_t nr)
{
	bool seen = false, sound;
	struct queue q;
	struct ring r;
	int i, torn = 0;

	ring_open(&r, 64, 0, HASH + 4096);
	for (i = 0; i < 64; i++)
		push_hash(&r, HASH);
	EXPECT_EQ(ring_enter(&r, 64, 1, TIMEOUT_S), 0);
	/* A look may fall between two tasks. */
	while (!seen) {
		find_queue(QUEUE, &q);
		EXPECT_EQ(q.id, before->id);
		/* A long task that yielded counts once more. */
		EXPECT(q.queued >= before->queued + nr);
		EXPECT(q.done >= before->done);
		if (q.done == q.queued)
			break;
		/* Running items are read before finished ones. */
		sound = q.running <= CPUS && q.waiting < 64 &&
			q.done < q.queued;
		torn = sound ? 0 : torn + 1;
		EXPECT(torn < TRIES);
		if (torn)
			usleep(10000);
		seen = sound && q.running && q.waiting;
	}
	while (r.head < 64) {
		EXPECT_EQ(ring_enter(&r, 0, 1, TIMEOUT_S), 0);
		while (ring_peek(&r))
			EXPECT_EQ(ring_take(&r).res, 32);
	}
	ring_close(&r);
	return seen;
}

static void queues(void)
{
	struct queue before, q;
	bool seen = false;
	int i, turn;

	need_module();
	keep_queue();
	run_tasks(1, 0);
	find_queue(QUEUE, &before);
	EXPECT(!strcmp(before.flags, "-"));
	EXPECT(!strcmp(before.engine, "bwos_fifo"));
	for (turn = 0; turn < TRIES && !seen; turn++)
		seen = queue_seen(&before, 64 * (turn + 1));
	if (!seen)
		SKIP("no look came while a task ran and others waited");
	for (i = 0; i < LOOKS; i++) {
		find_queue(QUEUE, &q);
		if (q.done == q.queued && !q.running)
			break;
		usleep(10000);
	}
	EXPECT_EQ(q.done, q.queued);
	EXPECT(q.queued >= before.queued + 64 * turn);
	EXPECT_EQ(q.running, 0);
	EXPECT_EQ(q.waiting, 0);
}

/* The line of that thread; its numbers move. */
static bool find_poller(int pid, char *state, unsigned int *rings,
			unsigned long long *taken)
{
	char *text = expect_text(DIR "pollers"), *at;
	bool found = false;

	EXPECT(!strncmp(text, "pid state rings taken busy_us idle_us sleeps name\n",
			50));
	for (at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
		unsigned long long n, busy, idle, sleeps;
		char word[16], name[32];
		unsigned int nr;
		int id, fits;

		fits = sscanf(at, "%d %15s %u %llu %llu %llu %llu %31s", &id, word,
			      &nr, &n, &busy, &idle, &sleeps, name);
		EXPECT_EQ(fits, 8);
		EXPECT(!strcmp(word, "asleep") || !strcmp(word, "awake"));
		EXPECT(!strncmp(name, "wsq-P-", 6));
		if (id != pid)
			continue;
		found = true;
		strcpy(state, word);
		*rings = nr;
		*taken = n;
	}
	free(text);
	return found;
}

static int poller_of(const struct ring *r)
{
	char path[64], *text, *at;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", r->fd);
	text = expect_text(path);
	at = strstr(text, "wsq_poller:");
	EXPECT(at && sscanf(at, "wsq_poller: %d", &pid) == 1);
	free(text);
	return pid;
}

/* A poller, and its counters, are shown while it has a ring. */
static void pollers(void)
{
	unsigned long long taken = 0;
	unsigned int rings, i;
	char state[16];
	struct ring r;
	int pid;

	need_module();
	memset(&r, 0, sizeof(r));
	r.fd = dev_open();
	r.s = (struct wsq_setup) {
		.size = sizeof(r.s), .flags = WSQ_SETUP_POLL, .sq_entries = 8,
	};
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_SETUP, &r.s), 0);
	ring_map(&r);
	pid = poller_of(&r);
	for (i = 0; i < LOOKS; i++) {
		EXPECT(find_poller(pid, state, &rings, &taken));
		EXPECT_EQ(rings, 1);
		EXPECT_EQ(taken, 0);
		if (!strcmp(state, "asleep"))
			break;
		usleep(10000);
	}
	EXPECT(i < LOOKS);
	for (i = 0; i < 8; i++)
		ring_push_nop(&r, i);
	__atomic_store_n(&r.page->sq_tail, r.tail, __ATOMIC_RELEASE);
	EXPECT_EQ(ring_enter(&r, 0, 0, 0), 0);
	r.e.flags = WSQ_ENTER_WAKEUP;
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENTER, &r.e), 0);
	for (i = 0; i < LOOKS && taken < 8; i++) {
		EXPECT(find_poller(pid, state, &rings, &taken));
		usleep(10000);
	}
	EXPECT_EQ(taken, 8);
	ring_close(&r);
	for (i = 0; i < LOOKS && find_poller(pid, state, &rings, &taken); i++)
		usleep(10000);
	EXPECT(i < LOOKS);
}

/* The most workers seen at work, or timed, until a ring is done. */
static int most_of(struct ring *r, bool collecting)
{
	struct workers w;
	int most = 0, of;

	while (r->head < 64) {
		workers_now(&w);
		of = collecting ? w.timed : w.busy;
		if (of > most)
			most = of;
		/* Unless another process has switched collecting on. */
		EXPECT(w.timed <= (collecting ? w.busy : 0));
		EXPECT_EQ(ring_enter(r, 0, 1, TIMEOUT_S), 0);
		while (ring_peek(r))
			ring_take(r);
	}
	return most;
}

static void start_hashes(struct ring *r)
{
	int i;

	ring_open(r, 64, 0, HASH + 4096);
	for (i = 0; i < 64; i++)
		push_hash(r, HASH);
	EXPECT_EQ(ring_enter(r, 64, 0, 0), 0);
}

/*
 * False if no worker was seen at work, or some finished items are missing: a
 * worker that stops when idle takes its count with it.
 */
static bool workers_seen(void)
{
	struct workers before, w;
	struct counts c;
	struct ring r;
	int i, most;

	for (i = 0; i < LOOKS; i++) {
		usleep(10000);
		workers_now(&before);
		if (!before.busy)
			break;
	}
	EXPECT(before.nr > 0 && before.current > 0);
	EXPECT_EQ(before.busy, 0);
	counts_settled(&c);
	start_hashes(&r);
	most = most_of(&r, false);
	ring_close(&r);
	/* Long tasks that yielded count once more. */
	EXPECT(counted_since(&c, 64) >= 64);
	workers_now(&w);
	return most > 0 && w.items >= before.items + 64;
}

static void workers(void)
{
	int turn;

	need_module();
	run_tasks(1, 0);
	expect_rings(0);
	for (turn = 0; turn < TRIES && !workers_seen(); turn++)
		;
	EXPECT(turn < TRIES);
}

/* While collecting, the start time of a running item is known. */
static void since_when(void)
{
	int turn, most = 0;
	struct ring r;

	need_tracepoints();
	need_module();
	EXPECT_EQ(collect(1), 0);
	/* All may be over before the first look. */
	for (turn = 0; turn < TRIES && !most; turn++) {
		start_hashes(&r);
		most = most_of(&r, true);
		ring_close(&r);
	}
	EXPECT_EQ(collect(0), 0);
	if (!most)
		SKIP("no look came while a task ran");
}

/* Victims that thieves have drawn, by policy: more than skipped or found. */
static unsigned long long thieves_drawn(void)
{
	static const char *const policies[] = {
		"random", "sequential", "prob", "randomized", "numa+prob",
	};
	char *text = expect_text(DIR "thieves"), *at;
	unsigned long long sum = 0;

	EXPECT(!strncmp(text, "cpu policy drawn rejected found\n", 32));
	for (at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
		unsigned long long drawn, rejected, found;
		unsigned int cpu, i;
		char policy[32];
		int fits;

		fits = sscanf(at, "%u %31s %llu %llu %llu", &cpu, policy,
			      &drawn, &rejected, &found);
		EXPECT_EQ(fits, 5);
		for (i = 0; i < ARRAY_SIZE(policies); i++)
			if (!strcmp(policy, policies[i]))
				break;
		EXPECT(i < ARRAY_SIZE(policies) && cpu < CPUS);
		EXPECT(drawn);
		EXPECT(drawn >= rejected + found);
		sum += drawn;
	}
	free(text);
	return sum;
}

static void thieves(void)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	unsigned long long before;

	need_module();
	if (sysconf(_SC_NPROCESSORS_ONLN) < 3)
		SKIP("where there is one victim, none is drawn");
	before = thieves_drawn();
	/* Workers that have run dry look for work. */
	while (thieves_drawn() == before && now_ns() < end)
		run_tasks(100, 0);
	EXPECT(thieves_drawn() > before);
}

/* Input other than 0 and 1 changes nothing. */
static void refused(void)
{
	static const char *const texts[] = {
		"", "\n", "2", "y", "-1", "+1", " 1", "1 ", "01", "10", "1x",
		"1\n\n", "on", "true", "0x1", "4294967297",
	};
	size_t len = 1 << 20;
	char *large = malloc(len), *volatile nowhere = NULL;
	unsigned int i, on;
	struct latency l;
	struct steals s;
	int fd;

	need_module();
	EXPECT_EQ(collect(0), 0);
	for (on = 0; on < 2; on++) {
		if (on && !has_tracepoints()) {
			EXPECT_EQ(collect(1), ENOSYS);
			break;
		}
		EXPECT_EQ(collect(on), 0);
		for (i = 0; i < ARRAY_SIZE(texts); i++) {
			test_at("text", i);
			EXPECT_EQ(put_text(DIR "collect", texts[i],
					   strlen(texts[i])), EINVAL);
			EXPECT_EQ(collecting(), on);
		}
		test_at(NULL, 0);
		EXPECT_EQ(put_text(DIR "collect", "1\0", 2), EINVAL);
		memset(large, '1', len);
		EXPECT_EQ(put_text(DIR "collect", large, len), EINVAL);
		fd = open(DIR "collect", O_WRONLY);
		EXPECT(fd >= 0);
		EXPECT_ERR(write(fd, nowhere, 1), EFAULT);
		close(fd);
		EXPECT_EQ(collecting(), on);
	}
	/* Other files cannot be written. */
	EXPECT_EQ(collect(0), 0);
	EXPECT(!latency(&l));
	EXPECT(!steals(&s));
	for (i = 0; i < 6; i++) {
		static const char *const files[] = {
			DIR "queues", DIR "workers", DIR "latency",
			DIR "steals", DIR "thieves", DIR "forkjoin",
		};

		test_at("file", i);
		EXPECT(put_text(files[i], "1", 1));
	}
	/* Nor by any user. */
	test_at(NULL, 0);
	if (!setuid(65534)) {
		EXPECT(!get_text(DIR "latency") && errno == EACCES);
		EXPECT_EQ(collect(1), EACCES);
	}
	free(large);
}

static void latencies(void)
{
	const unsigned int nr = part_of(30000);
	uint64_t wait_ns, took;
	struct counts before;
	struct latency l;

	need_tracepoints();
	need_module();
	run_tasks(1, 0);
	counts_settled(&before);
	EXPECT_EQ(collect(1), 0);
	EXPECT(collecting());
	took = now_ns();
	wait_ns = run_tasks(nr, 100);
	took = now_ns() - took;
	latency_settled(&l);
	EXPECT_EQ(l.begun, nr);
	EXPECT_EQ(counted_since(&before, nr), nr);
	printf("# %llu lost, waited %llu of %llu us, ran %llu in %llu us\n",
	       l.lost, l.waited_ns / 1000, (unsigned long long)wait_ns / 1000,
	       l.ran_ns / 1000, (unsigned long long)took / 1000);
	fflush(stdout);
	/* The table can hold all tasks of one ring in flight, by far. */
	EXPECT(l.lost <= nr / 2);
	/* A task's wait, from its completion, includes the histogram's. */
	EXPECT(l.waited_ns <= wait_ns);
	/*
	 * A bucket's lower bound is more than half of any value in it, and no
	 * machine hashes more than four bytes in a nanosecond.
	 */
	EXPECT(l.ran_ns >= nr / 100 * (HASH / 4 / 4 / 2));

	/* Start again. */
	EXPECT_EQ(collect(1), 0);
	EXPECT(latency(&l));
	EXPECT_EQ(l.begun + l.lost + l.cut + l.waited + l.ran, 0);
	run_tasks(100, 0);
	latency_settled(&l);
	EXPECT_EQ(l.begun, 100);

	/* Off: nothing is left; what runs then is not collected. */
	EXPECT_EQ(collect(0), 0);
	EXPECT(!collecting());
	EXPECT(!latency(&l));
	run_tasks(100, 0);
	EXPECT(!latency(&l));
	EXPECT_EQ(collect(0), 0);
	EXPECT_EQ(collect(1), 0);
	EXPECT(latency(&l));
	EXPECT_EQ(l.begun, 0);
	EXPECT_EQ(collect(0), 0);
}

/* Begun before, ended after: cut. Queued before: lost. False if too late. */
static bool midway_once(int on)
{
	struct latency l;
	struct ring r;
	int k;

	/* Off before, then on with another collection. */
	EXPECT_EQ(collect(on), 0);
	ring_open(&r, 256, 0, HASH + 4096);
	while (r.tail < 256)
		push_hash(&r, HASH);
	EXPECT_EQ(ring_enter(&r, 256, 1, TIMEOUT_S), 0);
	EXPECT_EQ(collect(1), 0);
	while (r.head < 256) {
		EXPECT_EQ(ring_enter(&r, 0, 1, TIMEOUT_S), 0);
		while (ring_peek(&r))
			EXPECT_EQ(ring_take(&r).res, 32);
	}
	ring_close(&r);
	/* It is completed before it is traced. */
	for (k = 0; k < LOOKS; k++) {
		usleep(10000);
		EXPECT(latency(&l));
		if (l.ran == l.begun)
			break;
	}
	EXPECT(l.begun < 256);
	EXPECT_EQ(l.ran, l.begun);
	EXPECT_EQ(l.lost, l.begun);
	EXPECT_EQ(l.waited, 0);
	return l.begun && l.cut;
}

static void midway(void)
{
	int i, turn;

	need_tracepoints();
	need_module();
	for (i = 0; i < 2; i++) {
		for (turn = 0; turn < TRIES && !midway_once(i); turn++)
			;
		if (turn == TRIES)
			SKIP("no task began before, and ended after");
	}
	EXPECT_EQ(collect(0), 0);
}

/* Does the matrix have for each thief what its CPU has stolen since? */
static bool matrix_agrees(const struct steals *s, const struct counts *before,
			  const struct counts *after)
{
	unsigned int i;

	for (i = 0; i < after->nr; i++)
		if (s->by[i] != stolen(&after->cpus[i]) -
				stolen(&before->cpus[i]))
			return false;
	return true;
}

static void matrix(void)
{
	struct counts before, after;
	uint64_t sum = 0, end = now_ns() + TIMEOUT_S;
	struct steals s;
	unsigned int i;
	cpu_set_t one;

	need_tracepoints();
	need_module();
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one CPU");
	counts(&before);
	EXPECT_EQ(collect(1), 0);
	EXPECT(steals(&s));
	EXPECT_EQ(s.sum, 0);
	EXPECT_EQ(s.cells, 0);
	/* All from one CPU: others have to steal. */
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	EXPECT_ERR(sched_setaffinity(0, sizeof(one), &one), 0);
	do {
		run_tasks(10000, 10);
		EXPECT(steals(&s));
	} while (!s.sum && now_ns() < end);
	/* An idle worker may still be stealing. */
	end = now_ns() + TIMEOUT_S;
	do {
		usleep(200000);
		EXPECT(steals(&s));
		counts(&after);
	} while (!matrix_agrees(&s, &before, &after) && now_ns() < end);
	for (i = 0; i < after.nr; i++) {
		uint64_t by = stolen(&after.cpus[i]) - stolen(&before.cpus[i]);

		test_at("CPU", i);
		EXPECT_EQ(s.by[i], by);
		sum += by;
	}
	test_at(NULL, 0);
	EXPECT_EQ(s.sum, sum);
	EXPECT(sum > 0);
	printf("# %llu stolen, %d pairs\n", s.sum, s.cells);
	fflush(stdout);
	EXPECT_EQ(collect(1), 0);
	EXPECT(steals(&s));
	EXPECT_EQ(s.sum, 0);
	EXPECT_EQ(collect(0), 0);
	EXPECT(!steals(&s));
}

static int module_file(const char *name, const char *args)
{
	char path[256];
	int fd, ret;

	snprintf(path, sizeof(path), "%s", module_path());
	*strrchr(path, '/') = 0;
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s", name);
	fd = open(getenv("WSQ_TORTURE_KO") ?: path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	ret = syscall(SYS_finit_module, fd, args, 0) ? errno : 0;
	close(fd);
	return ret;
}

/* All processes read, one switches, queues come and go. */
static void switching(void)
{
	enum { SWITCHES = 80 };
	struct latency l;
	int i, torture;
	uint64_t seed = 7, end;
	char args[64];
	pid_t pids[5];

	need_module();
	snprintf(args, sizeof(args), "seconds=%d background=1 seed=5",
		 (int)part_of(8));
	torture = module_file("wsq_torture.ko", args);
	if (torture)
		printf("# without wsq_torture: %s\n", strerror(torture));
	fflush(stdout);
	load_start(pids, 2);
	for (i = 2; i < 4; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		for (;;) {
			struct steals s;

			free(expect_text(DIR "queues"));
			free(expect_text(DIR "workers"));
			find_forkjoin(QUEUE, NULL);
			latency(&l);
			steals(&s);
		}
	}
	pids[4] = fork();
	if (!pids[4]) {
		/* A reader that never gets to the end. */
		for (;;) {
			int fd = open(DIR "queues", O_RDONLY);
			char c[10];

			EXPECT(fd >= 0);
			EXPECT_EQ(read(fd, c, sizeof(c)), sizeof(c));
			usleep(1000);
			EXPECT(read(fd, c, sizeof(c)) >= 0);
			close(fd);
		}
	}
	/* Each switch waits for grace periods, which take long under load. */
	for (i = 0; i < (int)part_of(SWITCHES); i++) {
		int on = rnd(&seed) % 3 > 0;

		EXPECT_EQ(collect(on), on && !has_tracepoints() ? ENOSYS : 0);
		usleep(rnd(&seed) % 20000);
	}
	/* None of them has ended by itself. */
	for (torture = 0; torture < 5; torture++)
		EXPECT_EQ(waitpid(pids[torture], NULL, WNOHANG), 0);
	load_stop(pids, 5);
	printf("# switched %d times\n", i);
	fflush(stdout);
	end = now_ns() + TIMEOUT_S;
	while (!access("/sys/module/wsq_torture", F_OK) && now_ns() < end) {
		syscall(SYS_delete_module, "wsq_torture", O_NONBLOCK);
		usleep(100000);
	}
	EXPECT(access("/sys/module/wsq_torture", F_OK));
	if (!has_tracepoints())
		return;
	/* And it counts as before. */
	EXPECT_EQ(collect(1), 0);
	run_tasks(1000, 0);
	latency_settled(&l);
	EXPECT_EQ(l.begun, 1000);
	EXPECT_EQ(collect(0), 0);
}

/* Lines of the trace that have @what, followed by all of @and. */
static int traced(const char *trace, const char *what, const char *const *and)
{
	int nr = 0;

	while ((trace = strstr(trace, what))) {
		const char *end = strchr(trace, '\n'), *at;
		unsigned int i;

		EXPECT(end);
		for (i = 0; and[i]; i++) {
			at = strstr(trace, and[i]);
			EXPECT(at && at < end);
		}
		trace = end;
		nr++;
	}
	return nr;
}

static void tracepoints(void)
{
	static const char *const queue[] = {
		"queue=" QUEUE, "work=", "function=wsq_req_run", "cpu=-1", NULL
	};
	static const char *const run[] = {
		"queue=" QUEUE, "work=", "function=wsq_req_run", "cpu=", NULL
	};
	static const char *const steal[] = {
		"queue=" QUEUE, "cpu=", "victim=", "distance=", "nr=", NULL
	};
	static const char *const park[] = { "cpu=", NULL };
	const bool several = sysconf(_SC_NPROCESSORS_ONLN) > 1;
	enum { TURNS = 10 };
	int nr = 2000, turn, i;
	bool seen = false;
	cpu_set_t one;
	char *trace;

	if (access(TRACING "events/wsq/enable", F_OK))
		SKIP("no tracefs in this kernel");
	need_module();
	run_tasks(1, 0);
	usleep(100000);
	EXPECT_EQ(put_text(TRACING "buffer_size_kb", "8192", 4), 0);
	EXPECT_EQ(put_text(TRACING "trace", "", 0), 0);
	close(open(TRACING "trace", O_WRONLY | O_TRUNC));
	EXPECT_EQ(put_text(TRACING "events/wsq/enable", "1", 1), 0);
	EXPECT_EQ(put_text(TRACING "tracing_on", "1", 1), 0);
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	EXPECT_ERR(sched_setaffinity(0, sizeof(one), &one), 0);
	for (turn = 1; turn <= TURNS; turn++) {
		run_tasks(nr, 10);
		/* The last is traced after completion; then workers sleep. */
		for (i = 0; i < TURNS; i++) {
			usleep(200000);
			trace = expect_text(TRACING "trace");
			seen = traced(trace, " wsq_execute_end: ", run) ==
			       turn * nr &&
			       traced(trace, " wsq_park: ", park) &&
			       traced(trace, " wsq_unpark: ", park) &&
			       (!several || traced(trace, " wsq_steal: ", steal));
			free(trace);
			if (seen)
				break;
		}
		if (seen)
			break;
	}
	EXPECT_EQ(put_text(TRACING "events/wsq/enable", "0", 1), 0);
	trace = expect_text(TRACING "trace");
	close(open(TRACING "trace", O_WRONLY | O_TRUNC));
	nr *= turn <= TURNS ? turn : TURNS;
	EXPECT_EQ(traced(trace, " wsq_queue: ", queue), nr);
	EXPECT_EQ(traced(trace, " wsq_execute_start: ", run), nr);
	EXPECT_EQ(traced(trace, " wsq_execute_end: ", run), nr);
	EXPECT(traced(trace, " wsq_park: ", park) > 0);
	EXPECT(traced(trace, " wsq_unpark: ", park) > 0);
	if (several)
		EXPECT(traced(trace, " wsq_steal: ", steal) > 0);
	free(trace);
}

/* Each allocation fails once: only the errno changes. */
static void nomem(void)
{
#define FAULTS	"/sys/kernel/debug/"
	static const char *const knobs[][2] = {
		{ FAULTS "failslab/ignore-gfp-wait", "N" },
		{ FAULTS "fail_page_alloc/ignore-gfp-wait", "N" },
		{ FAULTS "fail_page_alloc/min-order", "0" },
		{ FAULTS "failslab/verbose", "0" },
		{ FAULTS "fail_page_alloc/verbose", "0" },
	};
	int fd, nth, file, failed = 0, err = 0;
	struct latency l;
	unsigned int i;

	need_tracepoints();
	need_module();
	fd = open("/proc/thread-self/fail-nth", O_RDWR);
	if (fd < 0)
		SKIP("no fault injection in this kernel");
	for (i = 0; i < ARRAY_SIZE(knobs); i++)
		if (put_text(knobs[i][0], knobs[i][1], 1))
			SKIP("cannot set %s", knobs[i][0]);
	EXPECT_EQ(collect(1), 0);
	run_tasks(50, 0);
	latency_settled(&l);
	file = open(DIR "collect", O_WRONLY);
	EXPECT(file >= 0);
	for (nth = 1; nth < 1000; nth++) {
		char text[16];
		int left;

		snprintf(text, sizeof(text), "%d", nth);
		EXPECT(pwrite(fd, text, strlen(text), 0) > 0);
		err = write(file, "1", 1) == 1 ? 0 : errno;
		memset(text, 0, sizeof(text));
		EXPECT(pread(fd, text, sizeof(text) - 1, 0) > 0);
		left = atoi(text);
		EXPECT(pwrite(fd, "0", 1, 0) == 1);
		EXPECT(collecting());
		EXPECT(latency(&l));
		if (err) {
			EXPECT_EQ(err, ENOMEM);
			EXPECT_EQ(l.begun, 50);
			failed++;
		} else {
			/* The allocation was retried, or all is there. */
			EXPECT_EQ(l.begun, 0);
			if (left)
				break;
			run_tasks(50, 0);
			latency_settled(&l);
		}
	}
	close(file);
	printf("# %d allocations failed one by one\n", failed);
	fflush(stdout);
	EXPECT(nth < 1000 && failed > 3);
	run_tasks(10, 0);
	latency_settled(&l);
	EXPECT_EQ(l.begun, 10);
	EXPECT_EQ(collect(0), 0);
}

/* The module is unloaded while it collects, idle and right after work. */
static void unload_collecting(void)
{
	int i, fd, ret, on = has_tracepoints();
	uint64_t end;
	pid_t pids[2];

	need_module();
	for (i = 0; i < 6; i++) {
		EXPECT_EQ(collect(1), on ? 0 : ENOSYS);
		load_start(pids, 2);
		await_rings(1);
		/* They have none between two rings. */
		fd = dev_open();
		usleep(100000);
		EXPECT_EQ(module_unload(), EWOULDBLOCK);
		kill(pids[0], SIGKILL);
		kill(pids[1], SIGKILL);
		close(fd);
		end = now_ns() + TIMEOUT_S;
		do {
			ret = module_unload();
		} while (ret == EWOULDBLOCK && now_ns() < end);
		EXPECT_EQ(ret, 0);
		EXPECT_ERR(access(DIR, F_OK), ENOENT);
		waitpid(pids[0], NULL, 0);
		waitpid(pids[1], NULL, 0);
		EXPECT_EQ(module_load(), 0);
		expect_device();
		EXPECT(!collecting());
	}
	run_tasks(10, 0);
}

/* An open file keeps the module; open() during unloading fails cleanly. */
static void unload_reading(void)
{
	static const char *const files[] = {
		DIR "queues", DIR "workers", DIR "collect", DIR "latency",
		DIR "steals", DIR "thieves", DIR "forkjoin",
	};
	unsigned int i, unloads = 0;
	pid_t pids[2];
	char c;

	need_module();
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		int fd = open(files[i], O_RDONLY);

		test_at("file", i);
		EXPECT(fd >= 0);
		EXPECT_EQ(read(fd, &c, 1), 1);
		EXPECT_EQ(module_unload(), EWOULDBLOCK);
		close(fd);
		EXPECT_EQ(module_unload(), 0);
		EXPECT_EQ(module_load(), 0);
		expect_device();
	}
	test_at(NULL, 0);
	for (i = 0; i < 2; i++) {
		unsigned int n;

		pids[i] = fork();
		if (pids[i])
			continue;
		for (n = i;; n++) {
			uint64_t t = now_ns();

			free(get_text(files[n % ARRAY_SIZE(files)]));
			collect(n % 2);
			/* Half of the time no process reads, or several do. */
			usleep(500 + 2 * (now_ns() - t) / 1000);
		}
	}
	while (unloads < part_of(24)) {
		if (!module_unload()) {
			EXPECT_EQ(module_load(), 0);
			unloads++;
		}
	}
	for (i = 0; i < 2; i++) {
		kill(pids[i], SIGKILL);
		EXPECT_EQ(waitpid(pids[i], NULL, 0), pids[i]);
	}
	printf("# %u unloads\n", unloads);
	fflush(stdout);
	expect_device();
	EXPECT_EQ(collect(0), 0);
	run_tasks(10, 0);
}

static const struct test tests[] = {
	{ "queues", queues },
	{ "workers", workers },
	{ "thieves", thieves },
	{ "pollers", pollers },
	{ "forkjoin", forkjoin },
	{ "refused", refused },
	{ "latencies", latencies },
	{ "since_when", since_when },
	{ "midway", midway },
	{ "matrix", matrix },
	{ "tracepoints", tracepoints },
	{ "switching", switching },
	{ "nomem", nomem },
	{ "unload_collecting", unload_collecting },
	{ "unload_reading", unload_reading },
};

TEST_MAIN(tests)
