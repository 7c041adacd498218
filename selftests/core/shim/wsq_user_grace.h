/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/grace.h in user space: quiescent states. A thread reports
 * now and then that it is in no section; when all have reported so since a
 * cookie was made, the cookie's grace period is over.
 *
 * For: unit tests, stress, benchmarks. Each thread with sections calls
 * wsq_grace_join() first, wsq_grace_quiesce() between sections at any time, and
 * wsq_grace_leave() at its end. A thread that does not quiesce delays every
 * grace period, as a CPU with preemption off does.
 *
 * With WSQ_GRACE_EMPTY every grace period is over at once, to prove that a test
 * notices.
 *
 * Cost: two loads and a store for quiesce. Limitations: 64 threads.
 */
#ifndef _WSQ_SHIM_USER_GRACE_H
#define _WSQ_SHIM_USER_GRACE_H

#include <stdlib.h>

#include <wsq_platform.h>

#define WSQ_GRACE_THREADS	64

/* Value of a thread that has left. */
#define WSQ_GRACE_AWAY		((s64)((~0ULL) >> 1))

struct wsq_grace_thread {
	atomic64_t used;
	atomic64_t seen WSQ_CACHE_ALIGNED;
};

extern struct wsq_grace_thread wsq_grace_threads[WSQ_GRACE_THREADS];
extern atomic64_t wsq_grace_now;
extern __thread struct wsq_grace_thread *wsq_grace_me;

/* Goes into one file of each program. */
#define WSQ_GRACE_DEFINE						\
	struct wsq_grace_thread wsq_grace_threads[WSQ_GRACE_THREADS];	\
	atomic64_t wsq_grace_now;					\
	__thread struct wsq_grace_thread *wsq_grace_me

static inline u64 wsq_grace_get(void)
{
	return (u64)atomic64_fetch_add(1, &wsq_grace_now) + 1;
}

static inline bool wsq_grace_passed(u64 cookie)
{
#ifndef WSQ_GRACE_EMPTY
	unsigned int i;

	for (i = 0; i < WSQ_GRACE_THREADS; i++) {
		struct wsq_grace_thread *t = &wsq_grace_threads[i];

		if (!atomic64_read_acquire(&t->used))
			continue;
		/* Pairs with the release in wsq_grace_quiesce(). */
		if (atomic64_read_acquire(&t->seen) < (s64)cookie)
			return false;
	}
#else
	(void)cookie;
#endif
	return true;
}

static inline void wsq_grace_quiesce(void)
{
	/* Acquire: a section that begins now sees what the cookie's maker did. */
	s64 now = atomic64_read_acquire(&wsq_grace_now);

	atomic64_set_release(&wsq_grace_me->seen, now);
}

static inline void wsq_grace_join(void)
{
	unsigned int i;

	for (i = 0; i < WSQ_GRACE_THREADS; i++) {
		struct wsq_grace_thread *t = &wsq_grace_threads[i];

		if (atomic64_cmpxchg(&t->used, 0, 1))
			continue;
		wsq_grace_me = t;
		atomic64_set(&t->seen, atomic64_read(&wsq_grace_now));
		/* In the list before the first section: against passed(). */
		smp_mb();
		return;
	}
	abort();
}

static inline void wsq_grace_leave(void)
{
	atomic64_set_release(&wsq_grace_me->seen, WSQ_GRACE_AWAY);
	atomic64_set_release(&wsq_grace_me->used, 0);
}

#endif /* _WSQ_SHIM_USER_GRACE_H */
