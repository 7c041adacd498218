// SPDX-License-Identifier: GPL-2.0
/*
 * For debugfs.c: fork-join objects. That of a user's tasks is listed from the
 * first task that needs it until the user's queue goes, with exact counts when
 * all is at rest; objects come and go while others read.
 */
#include "wsq_debugfs.h"

#define NUMBERS		16384
#define BYTES		(8ULL * NUMBERS)

/*
 * The object of that queue with the most CPUs, in @fj, unless it is %NULL; false
 * if there is none. Checks all lines.
 */
bool find_forkjoin(const char *queue, struct forkjoin *fj)
{
	static const char head[] =
		"max_cpus seats runs started steals leaps requests grows shrinks sleeps queue\n";
	char *text = expect_text(DIR "forkjoin"), *at;
	struct forkjoin most = { 0 };

	EXPECT(!strncmp(text, head, strlen(head)));
	for (at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
		struct forkjoin f;
		int fits;

		fits = sscanf(at, "%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %63[^\n]",
			      &f.max_cpus, &f.seats, &f.runs, &f.started,
			      &f.steals, &f.leaps, &f.requests, &f.grows,
			      &f.shrinks, &f.sleeps, f.queue);
		EXPECT_EQ(fits, 11);
		EXPECT(f.max_cpus >= 1 && f.max_cpus <= CPUS);
		EXPECT_EQ(f.seats, 2 * f.max_cpus - 1);
		/* One thread alone asks and steals from none. */
		if (f.max_cpus == 1)
			EXPECT_EQ(f.started + f.steals + f.leaps + f.requests, 0);
		if (!strcmp(f.queue, queue) && f.max_cpus > most.max_cpus)
			most = f;
	}
	free(text);
	if (fj)
		*fj = most;
	return most.max_cpus > 0;
}

static void sort_some(struct ring *r, unsigned int nr)
{
	struct wsq_sqe sqe = {
		.op = WSQ_OP_SORT64, .len = BYTES, .dst = BYTES,
	};

	while (nr--)
		EXPECT_EQ(ring_do(r, &sqe), BYTES);
}

void forkjoin(void)
{
	uint64_t end;
	struct forkjoin fj;
	struct ring r;
	int i;

	need_module();
	/* No earlier ring's queue is left. */
	end = now_ns() + TIMEOUT_S;
	while (find_forkjoin(QUEUE, &fj) && now_ns() < end)
		usleep(10000);
	EXPECT(!find_forkjoin(QUEUE, &fj));
	ring_open(&r, 4, 0, 2 * BYTES);
	EXPECT(!find_forkjoin(QUEUE, &fj));
	sort_some(&r, 1);
	EXPECT(find_forkjoin(QUEUE, &fj));
	EXPECT((long)fj.max_cpus <= sysconf(_SC_NPROCESSORS_CONF));
	EXPECT_EQ(fj.runs, 1);
	/* One at a time: each finds the object free. */
	for (i = 0; i < 10; i++) {
		sort_some(&r, 5);
		EXPECT(find_forkjoin(QUEUE, &fj));
		EXPECT_EQ(fj.runs, 1 + 5 * (i + 1));
	}
	EXPECT(fj.steals <= fj.runs * NUMBERS);
	ring_close(&r);
	while (find_forkjoin(QUEUE, &fj) && now_ns() < end)
		usleep(10000);
	EXPECT(!find_forkjoin(QUEUE, &fj));
}
