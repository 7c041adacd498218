// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that end with work in flight, on rings of all kinds, at any moment
 * and in all ways: by themselves, by exec, before their children, after having
 * passed the ring on, stopped, traced, killed, out of memory. Waiting for such
 * a process does not wait for its tasks; other users of the ring go on; nothing
 * else is left.
 *
 * Random times come from a seed; the kernel's timing does not.
 */
#include "wsq_left.h"
#include "wsq_cgroup.h"
#include "wsq_pass.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/ptrace.h>

static uint64_t seed = 20;

/* So many of each kind. */
static int loads(unsigned int each)
{
	return part_of(each) * LOAD_KINDS;
}

static void some_time(unsigned int most_us)
{
	usleep(rnd(&seed) % most_us);
}

/* As expect_killed(), for a process that ends in any way. */
static int expect_ended(pid_t pid)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	int status;

	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG | __WALL);

		EXPECT(got >= 0);
		if (got == pid && !WIFSTOPPED(status))
			return status;
		if (now_ns() > end)
			FAIL("%d has not ended", pid);
		usleep(200);
	}
}

static void killed(void)
{
	struct party p;
	int i;

	for (i = 0; i < loads(6); i++) {
		party_start(&p, load_run, i);
		some_time(20000);
		expect_killed(p.pid);
		party_over(&p);
		if (i % 8 == 7)
			expect_usable();
	}
	expect_nothing();
}

/* One of the threads ends the process, or all end one by one. */
static void *ender(void *arg)
{
	uint64_t s = (uintptr_t)arg | 1;

	usleep(rnd(&s) % 20000);
	_exit(7);
}

static void *visitor(void *arg)
{
	struct load *l = arg;

	load_enter(&l->r[0], l->polled[0], 0, 1, 10 * MSEC);
	return NULL;
}

static void exit_run(struct party *p, uint64_t how)
{
	static struct load l;
	uint64_t s = (how + 1) * 0x9e3779b97f4a7c15ULL;

	load_open(&l, how % LOAD_KINDS);
	load_thread(load_waiter, &l);
	load_step(&l, &s);
	party_ready(p);
	load_thread(ender, (void *)s);
	/* The first thread ends before the others. */
	if (how / LOAD_KINDS % 2)
		syscall(SYS_exit, 0);
	for (;;) {
		pthread_t t;

		load_step(&l, &s);
		if (rnd(&s) % 4 == 0 && !pthread_create(&t, NULL, visitor, &l))
			pthread_detach(t);
	}
}

static void exited(void)
{
	struct party p;
	int i, status;

	for (i = 0; i < loads(6); i++) {
		party_start(&p, exit_run, i);
		status = expect_ended(p.pid);
		EXPECT(WIFEXITED(status));
		EXPECT_EQ(WEXITSTATUS(status), 7);
		party_over(&p);
	}
	expect_nothing();
}

/* Description of a ring for a process that gets its file. */
struct passed {
	int fd;
	struct wsq_setup s;
};

/* Uses a ring that another process left in the midst of work. */
static void take_over(const struct passed *from)
{
	struct ring r = { .fd = from->fd, .s = from->s };
	uint64_t end = now_ns() + TIMEOUT_S;
	struct wsq_ring_stats st;

	ring_map(&r);
	/* Entries that were filled, and not taken, are left alone. */
	for (;;) {
		st = (struct wsq_ring_stats) { .size = sizeof(st) };
		EXPECT_ERR(ioctl(r.fd, WSQ_IOC_RING_STATS, &st), 0);
		r.tail = st.submitted;
		/* A taker that read the old cursors is done by then. */
		EXPECT_EQ(ring_enter(&r, 0, 0, 0), 0);
		EXPECT_ERR(ioctl(r.fd, WSQ_IOC_RING_STATS, &st), 0);
		r.head = st.completed;
		if (st.submitted == r.tail && r.head == r.tail)
			break;
		if (now_ns() > end)
			FAIL("%llu of %llu completed",
			     (unsigned long long)st.completed,
			     (unsigned long long)st.submitted);
		usleep(1000);
	}
	EXPECT_EQ(taken(&r), r.tail);
	__atomic_store_n(&r.page->cq_head, r.head, __ATOMIC_RELEASE);
	ring_push_nop(&r, 4711);
	EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
	EXPECT_EQ(ring_take(&r).user_data, 4711);
	ring_close(&r);
}

/* Executes this program again, with the first ring's file, or with none. */
static void exec_run(struct party *p, uint64_t how)
{
	static struct load l;
	struct passed pass;
	uint64_t s = (how + 1) * 0x9e3779b97f4a7c15ULL, end;
	char text[2 * sizeof(pass) + 1];
	unsigned int i;

	load_open(&l, how % LOAD_KINDS);
	load_thread(load_waiter, &l);
	load_thread(load_poller, &l);
	load_step(&l, &s);
	party_ready(p);
	end = now_ns() + rnd(&s) % (20 * MSEC);
	do {
		load_step(&l, &s);
	} while (now_ns() < end);
	pass = (struct passed) { l.r[0].fd, l.r[0].s };
	for (i = 0; i < sizeof(pass); i++)
		sprintf(text + 2 * i, "%02x", ((uint8_t *)&pass)[i]);
	if (how / LOAD_KINDS % 2) {
		EXPECT_ERR(fcntl(pass.fd, F_SETFD, 0), 0);
		execl("/proc/self/exe", "leave", "use", text, NULL);
	} else {
		execl("/proc/self/exe", "leave", "end", NULL);
	}
	FAIL("exec: %s", strerror(errno));
}

static int after_exec(const char *text)
{
	struct passed pass;
	unsigned int i, byte;
	int got;

	for (i = 0; i < sizeof(pass); i++) {
		got = sscanf(text + 2 * i, "%2x", &byte);
		EXPECT_EQ(got, 1);
		((uint8_t *)&pass)[i] = byte;
	}
	take_over(&pass);
	return 0;
}

static void executed(void)
{
	struct party p;
	int i, status;

	for (i = 0; i < loads(4); i++) {
		party_start(&p, exec_run, i);
		EXPECT_EQ(waitpid(p.pid, &status, 0), p.pid);
		EXPECT_EQ(status, 0);
		party_over(&p);
	}
	expect_nothing();
}

/* A parent with a child that has the files, and may use them. */
static void fork_run(struct party *p, uint64_t how)
{
	uint64_t s = (how + 1) * 0x9e3779b97f4a7c15ULL;
	bool uses = how / LOAD_KINDS % 2;
	static struct load l;
	unsigned int i;
	int go[2];
	char c;

	EXPECT_ERR(pipe(go), 0);
	load_open(&l, how % LOAD_KINDS);
	load_step(&l, &s);
	if (!fork()) {
		close(go[1]);
		EXPECT(read(go[0], &c, 1) >= 0);
		/* It writes after us, and perhaps after our end. */
		for (i = 0; uses && i < l.nr; i++)
			take_over(&(struct passed) { l.r[i].fd, l.r[i].s });
		usleep(rnd(&s) % 10000);
		party_ready(p);
		_exit(0);
	}
	load_thread(load_waiter, &l);
	party_ready(p);
	close(go[1]);
	for (;;) {
		/* One process at a time, as the rules require. */
		if (uses)
			pause();
		load_step(&l, &s);
	}
}

static void forked(void)
{
	struct party p;
	char c;
	int i;

	for (i = 0; i < loads(4); i++) {
		party_start(&p, fork_run, i);
		some_time(10000);
		expect_killed(p.pid);
		/* The child succeeded, and has ended, too. */
		EXPECT_EQ(read(p.from, &c, 1), 1);
		EXPECT_EQ(read(p.from, &c, 1), 0);
		party_over(&p);
	}
	expect_nothing();
}

static int pass_sock;

/* Duplicates each file, and passes it on, several times. */
static void pass_run(struct party *p, uint64_t kind)
{
	static struct load l;
	uint64_t s = (kind + 1) * 0x9e3779b97f4a7c15ULL;
	unsigned int i;

	load_open(&l, kind % LOAD_KINDS);
	for (i = 0; i < l.nr; i++) {
		struct passed pass = { dup(l.r[i].fd), l.r[i].s };

		EXPECT(pass.fd >= 0);
		load_step(&l, &s);
		send_fd(pass_sock, pass.fd, &pass, sizeof(pass));
		close(l.r[i].fd);
		l.r[i].fd = pass.fd;
	}
	load_thread(load_waiter, &l);
	party_ready(p);
	for (;;)
		load_step(&l, &s);
}

static void passed(void)
{
	struct party p;
	int i, sp[2];

	for (i = 0; i < loads(4); i++) {
		unsigned int nr = i % LOAD_KINDS == LOAD_SHARED ? 2 :
				  i % LOAD_KINDS == LOAD_SEVERAL ? 4 : 1;
		struct passed pass;

		EXPECT_ERR(socketpair(AF_UNIX, SOCK_STREAM, 0, sp), 0);
		pass_sock = sp[1];
		party_start(&p, pass_run, i);
		close(sp[1]);
		some_time(10000);
		expect_killed(p.pid);
		/* Its files are received, or dropped in the socket. */
		while (i / LOAD_KINDS % 2 && nr--) {
			int fd = recv_fd(sp[0], &pass, sizeof(pass));

			pass.fd = fd;
			take_over(&pass);
		}
		close(sp[0]);
		party_over(&p);
	}
	expect_nothing();
}

static void await_stop(pid_t pid)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	int status;

	while (waitpid(pid, &status, WUNTRACED | WNOHANG | __WALL) != pid) {
		if (now_ns() > end)
			FAIL("%d has not stopped", pid);
		usleep(100);
	}
	if (!WIFSTOPPED(status))
		FAIL("not stopped, but %#x", status);
}

/* Stopped and continued, and killed in either state. */
static void stopped(void)
{
	struct party p;
	int i, k;

	for (i = 0; i < loads(4); i++) {
		party_start(&p, load_run, i);
		for (k = rnd(&seed) % 8; k; k--) {
			some_time(3000);
			EXPECT_ERR(kill(p.pid, SIGSTOP), 0);
			await_stop(p.pid);
			some_time(2000);
			if (k > 1 || i % 2)
				EXPECT_ERR(kill(p.pid, SIGCONT), 0);
		}
		/* A stopped process stops no other. */
		expect_usable();
		expect_killed(p.pid);
		party_over(&p);
	}
	expect_nothing();
}

/* Its first thread waits in ENTER without a time limit, with work in flight. */
static void wait_run(struct party *p, uint64_t kind)
{
	static struct load l;
	uint64_t s = (kind + 1) * 0x9e3779b97f4a7c15ULL;

	load_open(&l, kind % LOAD_KINDS);
	load_step(&l, &s);
	party_ready(p);
	load_waiter(&l);
}

/* Seize, stop and let go @p, so often. */
static void trace(pid_t pid, unsigned int options, unsigned int times)
{
	EXPECT_ERR(ptrace(PTRACE_SEIZE, pid, NULL, (void *)(long)options), 0);
	while (times--) {
		some_time(3000);
		EXPECT_ERR(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL), 0);
		await_stop(pid);
		some_time(1000);
		if (times)
			EXPECT_ERR(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	}
}

static void traced(void)
{
	struct party p;
	int i;

	for (i = 0; i < loads(6); i++) {
		party_start(&p, i / LOAD_KINDS % 2 ? load_run : wait_run, i);
		trace(p.pid, 0, 1 + rnd(&seed) % 4);
		expect_usable();
		switch (i % 3) {
		case 0:
			/* Killed while it is stopped. */
			break;
		case 1:
			EXPECT_ERR(ptrace(PTRACE_DETACH, p.pid, NULL, NULL), 0);
			some_time(3000);
			break;
		case 2:
			EXPECT_ERR(ptrace(PTRACE_CONT, p.pid, NULL, NULL), 0);
			break;
		}
		expect_killed(p.pid);
		party_over(&p);
	}
	expect_nothing();
}

/* The tracer ends first: the traced process goes on, or ends, too. */
static void tracer_gone(void)
{
	struct party p;
	int i, status;

	for (i = 0; i < loads(4); i++) {
		bool along = i / LOAD_KINDS % 2;
		pid_t tracer;

		party_start(&p, i % 2 ? load_run : wait_run, i);
		tracer = fork();
		EXPECT(tracer >= 0);
		if (!tracer) {
			trace(p.pid, along ? PTRACE_O_EXITKILL : 0, 2);
			_exit(0);
		}
		status = expect_ended(tracer);
		EXPECT_EQ(status, 0);
		if (along) {
			status = expect_ended(p.pid);
			EXPECT(WIFSIGNALED(status));
			EXPECT_EQ(WTERMSIG(status), SIGKILL);
		} else {
			some_time(3000);
			EXPECT_EQ(waitpid(p.pid, &status, WNOHANG), 0);
			expect_killed(p.pid);
		}
		party_over(&p);
	}
	expect_nothing();
}

/* Keeps using the file, whatever happens to it. */
static void *stubborn(void *arg)
{
	const struct ring *r = arg;

	for (;;) {
		struct wsq_enter e = {
			.size = sizeof(e), .min_complete = r->s.cq_entries,
			.timeout_ns = WSQ_NO_TIMEOUT,
		};

		ioctl(r->fd, WSQ_IOC_ENTER, &e);
	}
	return NULL;
}

/* Moves and unmaps memory that tasks and waiters use, then ends. */
static void unmap_run(struct party *p, uint64_t how)
{
	static struct load l;
	uint64_t s = (how + 1) * 0x9e3779b97f4a7c15ULL;
	unsigned int i;
	void *to;

	load_open(&l, how % LOAD_KINDS);
	load_thread(stubborn, &l.r[l.nr - 1]);
	load_thread(load_poller, &l);
	for (i = 0; i < l.nr; i++) {
		load_push(&l, i, &s, 64);
		load_enter(&l.r[i], l.polled[i], UINT32_MAX, 0, 0);
		load_push(&l, i, &s, 32);
	}
	party_ready(p);
	for (i = 0; i < l.nr; i++) {
		struct ring *r = &l.r[i];

		usleep(rnd(&s) % 2000);
		to = mmap(NULL, LOAD_ARENA, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		EXPECT(to != MAP_FAILED);
		to = mremap(r->arena, LOAD_ARENA, LOAD_ARENA,
			    MREMAP_MAYMOVE | MREMAP_FIXED, to);
		EXPECT(to != MAP_FAILED);
		EXPECT_ERR(munmap(to, LOAD_ARENA / 2), 0);
		load_enter(r, l.polled[i], UINT32_MAX, 0, 0);
		/* Removes the mapping or the file; the other stays for now. */
		if (rnd(&s) % 2) {
			munmap(to, LOAD_ARENA);
			munmap(r->sqes, r->s.sqes_bytes);
			munmap(r->page, r->s.rings_bytes);
			load_enter(r, l.polled[i], UINT32_MAX, 1, MSEC);
		} else if (i + 1 == l.nr) {
			/* Waiters keep the file for as long. */
			close(r->fd);
			((volatile uint8_t *)to)[LOAD_ARENA - 1] = 1;
		}
	}
	usleep(rnd(&s) % 3000);
	_exit(7);
}

static void unmapped(void)
{
	struct party p;
	int i, status;

	for (i = 0; i < loads(6); i++) {
		party_start(&p, unmap_run, i);
		status = expect_ended(p.pid);
		EXPECT(WIFEXITED(status));
		EXPECT_EQ(WEXITSTATUS(status), 7);
		party_over(&p);
	}
	expect_nothing();
}

/* Allocates memory, beside busy rings, until there is none left. */
static void *eater(void *arg)
{
	(void)arg;
	for (;;) {
		volatile uint8_t *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS |
					   MAP_POPULATE, -1, 0);
		unsigned long i;

		if (p == MAP_FAILED)
			FAIL("mmap: %s", strerror(errno));
		for (i = 0; i < MIB; i += PAGE)
			p[i] = 1;
	}
	return NULL;
}

static void eat_run(struct party *p, uint64_t kind)
{
	static struct load l;
	uint64_t s = (kind + 1) * 0x9e3779b97f4a7c15ULL;

	group_enter();
	load_open(&l, kind % LOAD_KINDS);
	load_thread(load_waiter, &l);
	load_step(&l, &s);
	party_ready(p);
	load_thread(eater, NULL);
	for (;;)
		load_step(&l, &s);
}

static void out_of_memory(void)
{
	uint64_t base;
	struct party p;
	int i, status;

	group_make();
	max_set(32 * MIB);
	base = current_bytes();
	for (i = 0; i < LOAD_KINDS; i++) {
		party_start(&p, eat_run, i);
		status = expect_ended(p.pid);
		EXPECT(WIFSIGNALED(status));
		EXPECT_EQ(WTERMSIG(status), SIGKILL);
		EXPECT(line_of("memory.events", "oom_kill") > (uint64_t)i);
		party_over(&p);
		expect_usable();
	}
	expect_nothing();
	expect_at_most(base + SLACK);
	group_end();
}

static void nothing_left(void)
{
	expect_nothing_left();
}

static const struct test tests[] = {
	{ "killed", killed },
	{ "exited", exited },
	{ "executed", executed },
	{ "forked", forked },
	{ "passed", passed },
	{ "stopped", stopped },
	{ "traced", traced },
	{ "tracer_gone", tracer_gone },
	{ "unmapped", unmapped },
	{ "out_of_memory", out_of_memory },
	{ "nothing_left", nothing_left },
};

int main(int argc, char **argv)
{
	/* For the exec tests. */
	if (argc == 2 && !strcmp(argv[1], "end"))
		return 0;
	if (argc == 3 && !strcmp(argv[1], "use"))
		return after_exec(argv[2]);
	return test_main(tests, ARRAY_SIZE(tests));
}
