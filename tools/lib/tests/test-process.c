// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * Tests of what happens to a process that has a ring: it forks, or is stopped
 * while it waits. Against the fake module.
 */
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"
#include "tap.h"

static void reset(void)
{
	fake_cfg = (struct fake_cfg){ .cpus = 4 };
	fake_enters = 0;
}

static pid_t same_pid;

/* In place of libc's: with pid namespaces a child may have its parent's pid. */
pid_t getpid(void)
{
	return same_pid ? same_pid : (pid_t)syscall(SYS_getpid);
}

/* A child releases its copy of the ring, and none of its own memory. */
static void forked(void)
{
	struct wsq_ring r, own;
	int status = -1, i;
	pid_t pid;

	reset();
	fake_cfg.threads = 0;
	for (i = 0; i < 2; i++) {
		same_pid = i ? getpid() : 0;
		CHECK(wsq_queue_init(8, 4096, &r, 0) == 0 && fake_live == 4);
		pid = fork();
		if (!pid) {
			int bad = wsq_queue_init(8, 4096, &own, 0);

			wsq_queue_exit(&r);
			bad |= fake_live != 3 + 4 || r.fd != -1;
			wsq_queue_exit(&own);
			_exit(bad || fake_live != 3);
		}
		CHECK(waitpid(pid, &status, 0) == pid && status == 0);
		wsq_queue_exit(&r);
		CHECK(fake_live == 0);
	}
	same_pid = 0;
}

/*
 * The kernel repeats a wait that nothing but a stop has interrupted, unless the
 * call has submitted entries. So a wait is a call of its own, even on a polled
 * ring whose thread has not taken the entries.
 */
static void polled_wait(void)
{
	struct wsq_cqe *cqe;
	struct wsq_ring r;

	reset();
	fake_cfg.no_cpu = true;
	CHECK(wsq_queue_init(8, 0, &r, WSQ_INIT_POLL) == 0);
	wsq_prep_nop(wsq_get_sqe(&r));
	CHECK(wsq_submit(&r) == 1);
	CHECK(wsq_sq_taken(&r) == 0);
	fake_enters = 0;
	CHECK(wsq_wait_cqe(&r, &cqe) == 0 && cqe->res == 0);
	CHECK(fake_enters == 2);
	wsq_cqe_seen(&r, cqe);
	wsq_queue_exit(&r);
	CHECK(fake_live == 0);
}

int main(void)
{
	fake_install();
	/* First: a child has no threads but the one that forked. */
	tap_case("process: after fork", forked);
	tap_case("process: a wait on a polled ring submits before", polled_wait);
	return tap_done();
}
