// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/wsq and the tracepoints: what is shown is what happened,
 * counted to the last item; what is refused; switching on and off under load;
 * unloading the module while it collects and while somebody reads.
 *
 * Needs root, debugfs and, for two tests, tracefs where they belong. On a
 * kernel without tracepoints, nothing can be collected, and that is what is
 * tested. WSQ_TORTURE_KO names wsq_torture.ko, else it is looked for where
 * wsq.ko is.
 */
#include "wsq_debugfs.h"

#include <sched.h>

struct queue {
	unsigned int id;
	char cpus[64], flags[64], name[64];
	unsigned long long queued, done, running, waiting;
};

/* The queue of that name; all lines are looked at. */
static void find_queue(const char *name, struct queue *q)
{
	char *text = expect_text(DIR "queues"), *at;
	bool found = false;
	long last = -1;

	EXPECT(!strncmp(text, "id cpus flags queued done running waiting name\n",
			47));
	for (at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
		struct queue one;
		int n;

		n = sscanf(at, "%u %63s %63s %llu %llu %llu %llu %63[^\n]",
			   &one.id, one.cpus, one.flags, &one.queued,
			   &one.done, &one.running, &one.waiting, one.name);
		EXPECT_EQ(n, 8);
		EXPECT((long)one.id > last);
		last = one.id;
		if (strcmp(one.name, name))
			continue;
		found = true;
		*q = one;
	}
	free(text);
	EXPECT(found);
}

static void queues(void)
{
	struct queue before, q;
	struct ring r;
	int i;

	need_module();
	run_tasks(1, 0);
	find_queue("ring", &before);
	EXPECT(!strcmp(before.flags, "-"));
	ring_open(&r, 64, 0, HASH + 4096);
	for (i = 0; i < 64; i++)
		push_hash(&r, HASH);
	EXPECT_EQ(ring_enter(&r, 64, 1, 10 * SEC), 0);
	find_queue("ring", &q);
	EXPECT_EQ(q.id, before.id);
	EXPECT_EQ(q.queued, before.queued + 64);
	EXPECT(q.running > 0 && q.running <= CPUS);
	EXPECT(q.waiting > 0 && q.waiting < 64);
	EXPECT(q.done >= before.done && q.done < q.queued);
	while (r.head < 64) {
		EXPECT_EQ(ring_enter(&r, 0, 1, 10 * SEC), 0);
		while (ring_peek(&r))
			EXPECT_EQ(ring_take(&r).res, 32);
	}
	ring_close(&r);
	for (i = 0; i < 500; i++) {
		find_queue("ring", &q);
		if (q.done == q.queued && !q.running)
			break;
		usleep(10000);
	}
	EXPECT_EQ(q.done, q.queued);
	EXPECT_EQ(q.queued, before.queued + 64);
	EXPECT_EQ(q.running, 0);
	EXPECT_EQ(q.waiting, 0);
}

struct workers {
	int nr, office, busy, timed;
	unsigned long long items;
};

static void workers_now(struct workers *w)
{
	static const char *const roles[] = {
		"office", "stand-in", "displaced", "spare", "leaving",
		"rescuer",
	};
	char *text = expect_text(DIR "workers"), *at;
	bool has[CPUS] = { false };

	memset(w, 0, sizeof(*w));
	EXPECT(!strncmp(text, "cpu pid role items us queue function\n", 37));
	for (at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
		char role[32], us[32], queue[32], func[128], path[64];
		unsigned long long items;
		unsigned int cpu, i;
		int pid, fits;
		char *comm;

		fits = sscanf(at, "%u %d %31s %llu %31s %31s %127[^\n]", &cpu,
			      &pid, role, &items, us, queue, func);
		EXPECT_EQ(fits, 7);
		for (i = 0; i < ARRAY_SIZE(roles); i++)
			if (!strcmp(role, roles[i]))
				break;
		EXPECT(i < ARRAY_SIZE(roles) && cpu < CPUS);
		if (i < 2) {
			/* One office for each CPU. */
			EXPECT(!has[cpu]);
			has[cpu] = true;
			w->office++;
		}
		w->nr++;
		w->items += items;
		w->timed += strcmp(us, "-") && strncmp(us, ">=", 2);
		if (!strncmp(func, "wsq_req_run", 11))
			w->busy += strcmp(queue, "-") != 0;
		else
			EXPECT(!strcmp(func, "-"));
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		comm = get_text(path);
		if (!comm)
			continue;
		snprintf(path, sizeof(path), "wsq/%u\n", cpu);
		fits = !strcmp(comm, path) || !strncmp(comm, "wsq-R-", 6);
		free(comm);
		EXPECT(fits);
	}
	free(text);
}

static void workers(void)
{
	struct workers before, w;
	struct counts c;
	struct ring r;
	int i, most = 0;

	need_module();
	run_tasks(1, 0);
	usleep(100000);
	workers_now(&before);
	EXPECT(before.nr > 0 && before.office > 0);
	EXPECT_EQ(before.busy, 0);
	counts(&c);
	ring_open(&r, 64, 0, HASH + 4096);
	for (i = 0; i < 64; i++)
		push_hash(&r, HASH);
	EXPECT_EQ(ring_enter(&r, 64, 0, 0), 0);
	while (r.head < 64) {
		workers_now(&w);
		if (w.busy > most)
			most = w.busy;
		/* Nobody has told it to collect. */
		EXPECT_EQ(w.timed, 0);
		EXPECT_EQ(ring_enter(&r, 0, 1, 10 * SEC), 0);
		while (ring_peek(&r))
			ring_take(&r);
	}
	ring_close(&r);
	EXPECT_EQ(counted_since(&c, 64), 64);
	workers_now(&w);
	EXPECT(most > 0);
	EXPECT_EQ(w.items, before.items + 64);
}

/* While it is collected, it is known since when an item runs. */
static void since_when(void)
{
	struct workers w;
	struct ring r;
	int i, most = 0;

	need_tracepoints();
	need_module();
	EXPECT_EQ(collect(1), 0);
	ring_open(&r, 64, 0, HASH + 4096);
	for (i = 0; i < 64; i++)
		push_hash(&r, HASH);
	EXPECT_EQ(ring_enter(&r, 64, 0, 0), 0);
	while (r.head < 64) {
		workers_now(&w);
		EXPECT(w.timed <= w.busy);
		if (w.timed > most)
			most = w.timed;
		EXPECT_EQ(ring_enter(&r, 0, 1, 10 * SEC), 0);
		while (ring_peek(&r))
			ring_take(&r);
	}
	EXPECT(most > 0);
	ring_close(&r);
	EXPECT_EQ(collect(0), 0);
}

/* What thieves have drawn, by policy: more than they left alone, or found. */
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
	unsigned long long before, i;

	need_module();
	if (sysconf(_SC_NPROCESSORS_ONLN) < 3)
		SKIP("where there is one victim, none is drawn");
	before = thieves_drawn();
	/* Workers that have served and run dry look around. */
	for (i = 0; i < 20; i++)
		run_tasks(100, 0);
	EXPECT(thieves_drawn() > before);
}

/* What is neither 0 nor 1 changes nothing. */
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
	/* Others are not for writing. */
	EXPECT_EQ(collect(0), 0);
	EXPECT(!latency(&l));
	EXPECT(!steals(&s));
	for (i = 0; i < 5; i++) {
		static const char *const files[] = {
			DIR "queues", DIR "workers", DIR "latency",
			DIR "steals", DIR "thieves",
		};

		test_at("file", i);
		EXPECT(put_text(files[i], "1", 1));
	}
	/* Nor for anybody. */
	test_at(NULL, 0);
	if (!setuid(65534)) {
		EXPECT(!get_text(DIR "latency") && errno == EACCES);
		EXPECT_EQ(collect(1), EACCES);
	}
	free(large);
}

static void latencies(void)
{
	const unsigned int nr = 30000;
	uint64_t wait_ns, took;
	struct counts before;
	struct latency l;

	need_tracepoints();
	need_module();
	counts(&before);
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
	/* The table has room for what one ring can have under way. */
	EXPECT(l.lost <= nr / 100);
	/*
	 * A task's wait, as its completion tells it, has the histogram's within
	 * it. A bucket's lower bound is more than half of what is in it.
	 */
	EXPECT(l.waited_ns <= wait_ns);
	EXPECT(l.waited_ns >= wait_ns / 8);
	/* A hash takes its time, and there are only so many CPUs. */
	EXPECT(l.ran_ns <= took * before.nr);
	EXPECT(l.ran_ns >= nr / 100 * 20000ULL);

	/* Anew. */
	EXPECT_EQ(collect(1), 0);
	EXPECT(latency(&l));
	EXPECT_EQ(l.begun + l.lost + l.cut + l.waited + l.ran, 0);
	run_tasks(100, 0);
	latency_settled(&l);
	EXPECT_EQ(l.begun, 100);

	/* Off, nothing is left; what runs then is nobody's. */
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

/* Begun before, ended after: cut. Queued before: lost. */
static void midway(void)
{
	struct latency l;
	struct ring r;
	int i;

	need_tracepoints();
	need_module();
	for (i = 0; i < 2; i++) {
		/* Off before, then on with another collection. */
		EXPECT_EQ(collect(i), 0);
		ring_open(&r, 256, 0, HASH + 4096);
		while (r.tail < 256)
			push_hash(&r, HASH);
		EXPECT_EQ(ring_enter(&r, 256, 1, 10 * SEC), 0);
		EXPECT_EQ(collect(1), 0);
		while (r.head < 256) {
			EXPECT_EQ(ring_enter(&r, 0, 1, 10 * SEC), 0);
			while (ring_peek(&r))
				EXPECT_EQ(ring_take(&r).res, 32);
		}
		ring_close(&r);
		usleep(100000);
		EXPECT(latency(&l));
		EXPECT(l.begun > 0 && l.begun < 256);
		EXPECT(l.cut > 0);
		EXPECT_EQ(l.ran, l.begun);
		EXPECT_EQ(l.lost, l.begun);
		EXPECT_EQ(l.waited, 0);
	}
	EXPECT_EQ(collect(0), 0);
}

static void matrix(void)
{
	struct counts before, after;
	struct steals s;
	unsigned int i;
	uint64_t sum = 0;
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
	run_tasks(10000, 10);
	usleep(200000);
	EXPECT(steals(&s));
	counts(&after);
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

/* Everybody reads, somebody switches, queues come and go. */
static void switching(void)
{
	uint64_t seed = 7, end = now_ns() + 12 * SEC;
	struct latency l;
	int i, torture;
	pid_t pids[5];

	need_module();
	torture = module_file("wsq_torture.ko",
			      "seconds=8 background=1 seed=5");
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
			latency(&l);
			steals(&s);
		}
	}
	pids[4] = fork();
	if (!pids[4]) {
		/* A reader who never gets to the end. */
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
	for (i = 0; now_ns() < end; i++) {
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
	end = now_ns() + 20 * SEC;
	while (!access("/sys/module/wsq_torture", F_OK) && now_ns() < end) {
		syscall(SYS_delete_module, "wsq_torture", O_NONBLOCK);
		usleep(100000);
	}
	EXPECT(access("/sys/module/wsq_torture", F_OK));
	/* Each waits for grace periods, which take long under load. */
	EXPECT(i > 3);
	if (!has_tracepoints())
		return;
	/* And it counts as before. */
	EXPECT_EQ(collect(1), 0);
	run_tasks(1000, 0);
	latency_settled(&l);
	EXPECT_EQ(l.begun, 1000);
	EXPECT_EQ(collect(0), 0);
}

/* Lines of the trace that have @what, and after it all of @and. */
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
		"queue=ring", "work=", "function=wsq_req_run", "cpu=-1", NULL
	};
	static const char *const run[] = {
		"queue=ring", "work=", "function=wsq_req_run", "cpu=", NULL
	};
	static const char *const steal[] = {
		"queue=ring", "cpu=", "victim=", "distance=", "nr=", NULL
	};
	static const char *const park[] = { "cpu=", NULL };
	const int nr = 2000;
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
	run_tasks(nr, 10);
	usleep(200000);
	EXPECT_EQ(put_text(TRACING "events/wsq/enable", "0", 1), 0);
	trace = expect_text(TRACING "trace");
	close(open(TRACING "trace", O_WRONLY | O_TRUNC));
	EXPECT_EQ(traced(trace, " wsq_queue: ", queue), nr);
	EXPECT_EQ(traced(trace, " wsq_execute_start: ", run), nr);
	EXPECT_EQ(traced(trace, " wsq_execute_end: ", run), nr);
	EXPECT(traced(trace, " wsq_park: ", park) > 0);
	EXPECT(traced(trace, " wsq_unpark: ", park) > 0);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		EXPECT(traced(trace, " wsq_steal: ", steal) > 0);
	free(trace);
}

/* Each allocation fails once: nothing changes but the errno. */
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
			/* Another way to memory was found, or all is there. */
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

/* The module goes while it collects, at rest and right after work. */
static void unload_collecting(void)
{
	int i, ret, on = has_tracepoints();
	uint64_t end;
	pid_t pids[2];

	need_module();
	for (i = 0; i < 6; i++) {
		EXPECT_EQ(collect(1), on ? 0 : ENOSYS);
		load_start(pids, 2);
		usleep(100000);
		EXPECT_EQ(module_unload(), EWOULDBLOCK);
		kill(pids[0], SIGKILL);
		kill(pids[1], SIGKILL);
		end = now_ns() + 10 * SEC;
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

/* A file held open keeps the module; opening while it goes fails cleanly. */
static void unload_reading(void)
{
	static const char *const files[] = {
		DIR "queues", DIR "workers", DIR "collect", DIR "latency",
		DIR "steals", DIR "thieves",
	};
	uint64_t end = now_ns() + 5 * SEC;
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
			free(get_text(files[n % ARRAY_SIZE(files)]));
			collect(n % 2);
			usleep(500);
		}
	}
	while (now_ns() < end) {
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
	EXPECT(unloads > 0);
	expect_device();
	EXPECT_EQ(collect(0), 0);
	run_tasks(10, 0);
}

static const struct test tests[] = {
	{ "queues", queues, 30 },
	{ "workers", workers, 30 },
	{ "thieves", thieves, 30 },
	{ "refused", refused, 30 },
	{ "latencies", latencies, 60 },
	{ "since_when", since_when, 30 },
	{ "midway", midway, 60 },
	{ "matrix", matrix, 60 },
	{ "tracepoints", tracepoints, 60 },
	{ "switching", switching, 90 },
	{ "nomem", nomem, 90 },
	{ "unload_collecting", unload_collecting, 60 },
	{ "unload_reading", unload_reading, 60 },
};

TEST_MAIN(tests)
