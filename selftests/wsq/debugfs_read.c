// SPDX-License-Identifier: GPL-2.0
/*
 * For debugfs.c: reads /sys/kernel/debug/wsq, strictly, and creates work to be
 * seen there.
 */
#include "wsq_debugfs.h"

int put_text(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY), ret;

	if (fd < 0)
		return errno;
	ret = write(fd, text, len) == (ssize_t)len ? 0 : errno;
	close(fd);
	return ret;
}

int collect(int on)
{
	return put_text(DIR "collect", on ? "1\n" : "0\n", 2);
}

/* The whole of a file; the caller frees it. NULL and errno if there is none. */
char *get_text(const char *path)
{
	size_t size = 1 << 16, len = 0;
	int fd = open(path, O_RDONLY);
	char *text;
	ssize_t n;

	if (fd < 0)
		return NULL;
	text = malloc(size);
	while ((n = read(fd, text + len, size - len - 1)) > 0) {
		len += n;
		if (len + 1 == size)
			text = realloc(text, size *= 2);
	}
	text[len] = 0;
	close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	return text;
}

char *expect_text(const char *path)
{
	char *text = get_text(path);

	if (!text)
		FAIL("%s: %s", path, strerror(errno));
	return text;
}

bool collecting(void)
{
	char *text = expect_text(DIR "collect");
	bool on = !strcmp(text, "1\n");

	EXPECT(on || !strcmp(text, "0\n"));
	free(text);
	return on;
}

bool has_tracepoints(void)
{
	return !access(TRACING "events", F_OK);
}

void need_tracepoints(void)
{
	if (!has_tracepoints())
		SKIP("no tracepoints in this kernel");
}

/* The queue of that name; checks all lines. */
void find_queue(const char *name, struct queue *q)
{
	char *text = expect_text(DIR "queues"), *at;
	bool found = false;
	long last = -1;

	EXPECT(!strncmp(text,
			"id engine cpus flags queued done running waiting name\n",
			54));
	for (at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
		struct queue one;
		int n;

		n = sscanf(at, "%u %63s %63s %63s %llu %llu %llu %llu %63[^\n]",
			   &one.id, one.engine, one.cpus, one.flags,
			   &one.queued, &one.done, &one.running, &one.waiting,
			   one.name);
		EXPECT_EQ(n, 9);
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

/* False if collecting is off. */
bool latency(struct latency *l)
{
	char *text = expect_text(DIR "latency"), *at = text;
	unsigned long long ns, waited, ran, next = 0;
	int n, fields;

	memset(l, 0, sizeof(*l));
	EXPECT(*at == '#');
	at = strchr(at, '\n');
	EXPECT(at);
	at++;
	if (!*at) {
		free(text);
		return false;
	}
	n = 0;
	fields = sscanf(at, "begun %llu\nlost %llu\ncut %llu\nns waited ran\n%n",
			&l->begun, &l->lost, &l->cut, &n);
	EXPECT_EQ(fields, 3);
	EXPECT(n);
	for (at += n; *at; at += n) {
		n = 0;
		fields = sscanf(at, "%llu %llu %llu%*1[\n]%n", &ns, &waited,
				&ran, &n);
		EXPECT_EQ(fields, 3);
		EXPECT(n);
		/* Each line begins where the one before ends. */
		EXPECT(!(ns & (ns - 1)));
		EXPECT(!next || ns == next);
		next = ns ? 2 * ns : 1;
		l->waited += waited;
		l->ran += ran;
		l->waited_ns += waited * ns;
		l->ran_ns += ran * ns;
	}
	free(text);
	return true;
}

/* All that was begun has ended, and the counts say so. */
void latency_settled(struct latency *l)
{
	uint64_t end = now_ns() + TIMEOUT_S;

	do {
		EXPECT(latency(l));
		if (l->ran == l->begun)
			break;
		usleep(10000);
	} while (now_ns() < end);
	EXPECT_EQ(l->ran, l->begun);
	EXPECT_EQ(l->cut, 0);
	EXPECT_EQ(l->waited + l->lost, l->begun);
}

bool steals(struct steals *s)
{
	char *text = expect_text(DIR "steals"), *at = text, *line;
	unsigned long victims[CPUS];
	int nr = 0, i;

	memset(s, 0, sizeof(*s));
	EXPECT(*at == '#');
	at = strchr(at, '\n') + 1;
	if (!*at) {
		free(text);
		return false;
	}
	i = sscanf(at, "stolen %llu", &s->sum);
	EXPECT_EQ(i, 1);
	at = strchr(at, '\n') + 1;
	EXPECT(!strncmp(at, "thief", 5));
	for (at += 5; *at == ' '; nr++) {
		EXPECT(nr < CPUS);
		victims[nr] = strtoul(at + 1, &at, 10);
		EXPECT(!nr || victims[nr] > victims[nr - 1]);
	}
	EXPECT(*at == '\n');
	for (line = at + 1; *line; line = at + 1) {
		unsigned long thief = strtoul(line, &at, 10);
		unsigned long long row = 0;

		EXPECT(thief < CPUS && !s->by[thief]);
		for (i = 0; i < nr; i++) {
			unsigned long long n;

			EXPECT(*at == ' ');
			n = strtoull(at + 1, &at, 10);
			/* No CPU steals from itself. */
			EXPECT(!n || victims[i] != thief);
			row += n;
			s->cells += !!n;
		}
		EXPECT(*at == '\n');
		EXPECT(row > 0);
		s->by[thief] = row;
	}
	free(text);
	return true;
}

void counts(struct counts *c)
{
	struct wsq_stats st = {
		.size = sizeof(st), .nr_cpus = CPUS,
		.cpus = (uintptr_t)c->cpus,
		.cpu_stats_size = sizeof(c->cpus[0]),
	};
	int fd = dev_open();
	unsigned int i;

	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, &st), 0);
	close(fd);
	EXPECT(st.nr_cpus <= CPUS);
	c->nr = st.nr_cpus;
	c->gets = 0;
	for (i = 0; i < c->nr; i++)
		c->gets += c->cpus[i].gets;
}

uint64_t stolen(const struct wsq_cpu_stats *s)
{
	return s->steals[0] + s->steals[1] + s->steals[2] + s->steals[3];
}

/* From now on our user's queue exists, as long as this process. */
void keep_queue(void)
{
	static struct ring keep;

	if (!keep.page)
		ring_open(&keep, 1, 0, 0);
}

/* Waits until all tasks of rings are counted as done, after their end. */
void counts_settled(struct counts *c)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	struct queue q;

	keep_queue();
	do {
		find_queue(QUEUE, &q);
	} while (q.done != q.queued && now_ns() < end && !usleep(1000));
	EXPECT_EQ(q.done, q.queued);
	counts(c);
}

/* Counted like the histograms, but even when not collecting. */
uint64_t counted_since(const struct counts *before, uint64_t nr)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	struct counts c;

	do {
		counts(&c);
		if (c.gets - before->gets >= nr)
			break;
		usleep(10000);
	} while (now_ns() < end);
	return c.gets - before->gets;
}

/* False if roles changed between two lines, which are read separately. */
static bool workers_look(struct workers *w)
{
	static const char *const roles[] = {
		"current", "replaced", "standby", "leaving", "rescuer",
	};
	char *text = expect_text(DIR "workers"), *at;
	bool has[CPUS] = { false }, needs[CPUS] = { false }, torn = false;
	unsigned int cpu, i;

	memset(w, 0, sizeof(*w));
	EXPECT(!strncmp(text, "cpu pid role items us queue function\n", 37));
	for (at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
		char role[32], us[32], queue[32], func[128], path[64];
		unsigned long long items;
		int pid, fits;
		char *comm;

		fits = sscanf(at, "%u %d %31s %llu %31s %31s %127[^\n]", &cpu,
			      &pid, role, &items, us, queue, func);
		EXPECT_EQ(fits, 7);
		for (i = 0; i < ARRAY_SIZE(roles); i++)
			if (!strcmp(role, roles[i]))
				break;
		EXPECT(i < ARRAY_SIZE(roles) && cpu < CPUS);
		/* One current worker for each CPU that has workers. */
		needs[cpu] |= i < 3;
		if (!i) {
			torn |= has[cpu];
			has[cpu] = true;
			w->current++;
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
		torn |= strcmp(comm, path) && strncmp(comm, "wsq-R-", 6);
		free(comm);
	}
	for (cpu = 0; cpu < CPUS; cpu++)
		torn |= needs[cpu] && !has[cpu];
	free(text);
	return !torn;
}

void workers_now(struct workers *w)
{
	int i;

	for (i = 0; i < TRIES && !workers_look(w); i++)
		;
	EXPECT(i < TRIES);
}

void push_hash(struct ring *r, uint64_t len)
{
	struct wsq_sqe sqe = { .op = WSQ_OP_SHA256, .len = len, .dst = HASH };

	ring_push(r, &sqe);
}

/* A nop that goes by itself: a deadline keeps it out of batches. */
static void push_lone_nop(struct ring *r)
{
	struct wsq_sqe sqe = {
		.op = WSQ_OP_NOP,
		.flags = WSQ_SQE_DEADLINE,
		.deadline = UINT64_MAX,
	};

	ring_push(r, &sqe);
}

/* @nr tasks, each @every-th long; returns the sum of their waits. */
uint64_t run_tasks(unsigned int nr, unsigned int every)
{
	uint64_t wait_ns = 0;
	struct ring r;
	int ret;

	ring_open(&r, 256, 0, HASH + 4096);
	while (r.head < nr) {
		while (r.tail < nr && r.tail - r.page->sq_head < 256) {
			if (every && r.tail % every == 0)
				push_hash(&r, HASH / 4);
			else
				push_lone_nop(&r);
		}
		ret = ring_enter(&r, 256, 1, TIMEOUT_S);
		/* The first completion is not there yet. */
		if (ret == -EAGAIN)
			usleep(1000);
		else
			EXPECT_EQ(ret, 0);
		while (ring_peek(&r))
			wait_ns += ring_take(&r).wait_ns;
	}
	ring_close(&r);
	return wait_ns;
}

/* Starts children that run tasks until they are killed. */
void load_start(pid_t *pids, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		pids[i] = fork();
		if (!pids[i])
			for (;;)
				run_tasks(20000, 500);
	}
}

void load_stop(pid_t *pids, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(waitpid(pids[i], NULL, 0), pids[i]);
	expect_rings(0);
}

void need_module(void)
{
	expect_loaded();
	if (access(DIR, F_OK))
		SKIP("no debugfs");
	/* Rings of the test before may not be freed yet. */
	expect_rings(0);
}
