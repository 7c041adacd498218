// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * The memory order of libwsq.h, points (1) to (3), judged by the thread
 * sanitizer.
 *
 * One producer uses the library. Another thread acts as the kernel: the two
 * share the ring's memory and no lock. So sq_tail, seq and cq_head are the only
 * ordering edges, and all other accesses are plain. This kernel takes more
 * entries than there are completion slots (a real one does not), so that it has
 * to wait for cq_head in the middle of the work. run-tests weakens each of the
 * three orderings in turn and expects a report. Without the sanitizer the data
 * are still checked.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "fake.h"
#include "sys.h"
#include "tap.h"

#define TASKS	20000
#define SQ	32
#define CQ	4
#define DEPTH	32

static struct wsq_ring_page page;
static struct wsq_sqe sqes[SQ];
static struct wsq_cqe cqes[CQ];
static __u64 arena[2 * DEPTH];

static void *kernel(void *arg)
{
	static struct wsq_sqe queue[2 * SQ];
	__u64 head = 0, done = 0, tail, room;

	(void)arg;
	while (done < TASKS) {
		tail = __atomic_load_n(&page.sq_tail, __ATOMIC_ACQUIRE);
		while (head < tail && head - done < 2 * SQ) {
			queue[head % (2 * SQ)] = sqes[head % SQ];
			head++;
		}
		__atomic_store_n(&page.sq_head, head, __ATOMIC_RELEASE);
		room = __atomic_load_n(&page.cq_head, __ATOMIC_ACQUIRE) + CQ;
		if (done == head || done == room) {
			sched_yield();
			continue;
		}
		struct wsq_sqe *s = &queue[done % (2 * SQ)];
		struct wsq_cqe *c = &cqes[done % CQ];

		memcpy((char *)arena + s->dst, (char *)arena + s->src, s->len);
		c->user_data = s->user_data;
		c->res = s->len;
		__atomic_store_n(&c->seq, (__u32)(done / CQ) + 1,
				 __ATOMIC_RELEASE);
		done++;
	}
	return NULL;
}

/* ENTER: returns when all entries are taken; acquires nothing else. */
static int enter(int fd, unsigned long cmd, void *arg)
{
	struct wsq_enter *e = arg;
	__u64 tail = __atomic_load_n(&page.sq_tail, __ATOMIC_RELAXED);

	(void)fd;
	if (cmd != WSQ_IOC_ENTER)
		return -ENOTTY;
	while (__atomic_load_n(&page.sq_head, __ATOMIC_ACQUIRE) != tail)
		sched_yield();
	e->submitted = e->to_submit;
	return 0;
}

static void races(void)
{
	static const struct wsq_sys sys = { .ioctl = enter };
	struct wsq_ring r = {
		.sq = { .ktail = &page.sq_tail, .sqes = sqes, .mask = SQ - 1,
			.entries = SQ },
		.cq = { .khead = &page.cq_head, .cqes = cqes, .mask = CQ - 1,
			.shift = 2, .entries = CQ },
		.arena = arena,
	};
	unsigned int put = 0, got = 0, n, slot, free_nr = DEPTH, bad = 0;
	unsigned int free_slot[DEPTH];
	struct wsq_cqe *cqe;
	struct wsq_sqe *sqe;
	pthread_t t;

	wsq_sys = &sys;
	for (n = 0; n < DEPTH; n++)
		free_slot[n] = n;
	CHECK(pthread_create(&t, NULL, kernel, NULL) == 0);
	while (got < TASKS) {
		while (put < TASKS && free_nr && (sqe = wsq_get_sqe(&r))) {
			slot = free_slot[--free_nr];
			arena[slot] = put++ * 0x9e3779b97f4a7c15ULL;
			wsq_prep_copy(sqe, 8 * (DEPTH + slot), 8 * slot, 8);
			wsq_sqe_set_data64(sqe, slot);
		}
		CHECK(wsq_submit(&r) >= 0);
		/* No further ENTER here: only cq_head orders the reuse. */
		while (free_nr < DEPTH) {
			if (wsq_peek_cqe(&r, &cqe)) {
				sched_yield();
				continue;
			}
			slot = wsq_cqe_get_data64(cqe);
			bad += cqe->res != 8 ||
			       arena[DEPTH + slot] != arena[slot];
			free_slot[free_nr++] = slot;
			wsq_cqe_seen(&r, cqe);
			got++;
		}
	}
	CHECK(pthread_join(t, NULL) == 0);
	CHECK(!bad && wsq_in_flight(&r) == 0);
}

int main(void)
{
	tap_case("races: entries and data, both ways, without a lock", races);
	return tap_done();
}
