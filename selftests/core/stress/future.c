// SPDX-License-Identifier: GPL-2.0
/*
 * Futures and calls under stress: senders make a few futures and calls that wait
 * for some of them; a resolver for each future resolves it meanwhile. Each call
 * starts once, when all its values are there. The last call of a set, or its
 * sender, frees the set, although resolvers may still be returning.
 *
 *	future [senders=N] [items=N] [pause=US] [seed=N] [limit=SECONDS]
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer.
 *
 * Seen to fail (mutants of ../model/mutants.list):
 *	plain		fu-add-blind, fu-add-drops-the-rest, fu-arrive-early,
 *			fu-arrive-rereads
 *	tsan		fu-close-acquire-only, fu-arrive-release-only; with senders=3 and
 *			pause=100, fu-close-in-two-steps
 * Limitations: fu-arrive-store and fu-close-rereads were not noticed, because the
 * window is two instructions. The model finds both.
 */
#include "stress.h"

#include "future.h"
#include "inbox.h"

#define NR_FUTURES	3
#define NR_CALLS	4

static u64 nr_senders = 2, nr_items = 100000;

struct set;

struct dep {
	atomic64_t link;
	struct call *call;
};

struct call {
	atomic64_t count;
	struct set *set;
	struct dep deps[NR_FUTURES];
	u32 given, which, ran;
};

/**
 * struct set - futures, and calls that wait for them
 * @word: the futures
 * @value: their values. Plain, so that a call that starts early is a race.
 * @calls: the calls
 * @left: calls that have not ended, and the sender
 * @seed: the values
 */
struct set {
	atomic64_t word[NR_FUTURES];
	u64 value[NR_FUTURES];
	struct call calls[NR_CALLS];
	u32 left;
	u64 seed;
};

/* From each sender to each resolver: the next set. */
static struct set *mail[MAX_THREADS][NR_FUTURES];
static u64 ran, conflicts, ready, late;

static void set_put(struct set *s)
{
	if (__atomic_sub_fetch(&s->left, 1, __ATOMIC_ACQ_REL))
		return;
	memset(s, 0x6b, sizeof(*s));
	free(s);
}

static void start(struct call *c)
{
	struct set *s = c->set;
	u32 i;

	check(!c->ran++, "a call started twice");
	check(wsq_fu_begin(&c->count), "a call is cancelled");
	for (i = 0; i < NR_FUTURES; i++)
		if (c->which >> i & 1)
			check(s->value[i] == s->seed + i, "future %u has %llu, not %llu",
			      i, s->value[i], s->seed + i);
	__atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
	set_put(s);
}

static void resolve(struct set *s, u32 i)
{
	struct wsq_backlog bl;
	atomic64_t *link;

	check(wsq_fu_claim(&s->word[i]), "a future was claimed before");
	s->value[i] = s->seed + i;
	wsq_backlog_init(&bl);
	wsq_backlog_fill(&bl, wsq_fu_close(&s->word[i]));
	while (!wsq_backlog_reverse(&bl, 2))
		;
	while ((link = wsq_backlog_pop(&bl))) {
		struct call *c = ((struct dep *)link)->call;

		if (wsq_fu_arrive(&c->count))
			start(c);
	}
}

static void send_call(struct set *s, struct call *c, u64 *state)
{
	u32 i;
	int ret;

	wsq_fu_count_init(&c->count);
	c->set = s;
	c->which = (u32)(rnd(state) % (1 << NR_FUTURES));
	for (i = 0; i < NR_FUTURES; i++) {
		if (!(c->which >> i & 1))
			continue;
		c->deps[i].call = c;
		while ((ret = wsq_fu_try_add(&s->word[i], &c->deps[i].link)) == WSQ_CONFLICT)
			__atomic_fetch_add(&conflicts, 1, __ATOMIC_RELAXED);
		if (ret == WSQ_OK) {
			c->given++;
		} else {
			check(s->value[i] == s->seed + i, "a value is not there");
			__atomic_fetch_add(&late, 1, __ATOMIC_RELAXED);
		}
		if (rnd(state) % 4 == 0)
			dawdle(state);
	}
	if (wsq_fu_send(&c->count, c->given)) {
		__atomic_fetch_add(&ready, 1, __ATOMIC_RELAXED);
		start(c);
	}
}

static void *sender(void *arg)
{
	u64 me = (u64)(uintptr_t)arg, seq;
	u64 state = (seed + me) * 0x9e3779b97f4a7c15ULL | 1;
	u32 i;

	for (seq = 0; seq < nr_items; seq++) {
		struct set *s = calloc(1, sizeof(*s));

		check(s, "no memory");
		s->seed = rnd(&state);
		s->left = NR_CALLS + 1;
		for (i = 0; i < NR_FUTURES; i++)
			wsq_fu_init(&s->word[i], false);
		for (i = 0; i < NR_FUTURES; i++) {
			while (__atomic_load_n(&mail[me][i], __ATOMIC_ACQUIRE))
				sched_yield();
			__atomic_store_n(&mail[me][i], s, __ATOMIC_RELEASE);
		}
		for (i = 0; i < NR_CALLS; i++)
			send_call(s, &s->calls[i], &state);
		/* Each resolver has taken the set before it may be freed. */
		for (i = 0; i < NR_FUTURES; i++)
			while (__atomic_load_n(&mail[me][i], __ATOMIC_ACQUIRE) == s)
				sched_yield();
		for (i = 0; i < NR_FUTURES; i++)
			while (!wsq_fu_resolved(&s->word[i]))
				sched_yield();
		set_put(s);
	}
	return NULL;
}

static void *resolver(void *arg)
{
	u64 me = (u64)(uintptr_t)arg, i;
	u64 state = (seed ^ me) * 0x9e3779b97f4a7c15ULL | 1;

	while (!is_over()) {
		bool some = false;

		for (i = 0; i < nr_senders; i++) {
			struct set *s = __atomic_load_n(&mail[i][me], __ATOMIC_ACQUIRE);

			if (!s)
				continue;
			some = true;
			__atomic_store_n(&mail[i][me], NULL, __ATOMIC_RELEASE);
			if (rnd(&state) % 2)
				dawdle(&state);
			resolve(s, (u32)me);
		}
		if (!some)
			sched_yield();
	}
	return NULL;
}

static const struct stress_option options[] = {
	{ "senders", &nr_senders },
	{ "items", &nr_items },
};

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	pthread_t send_by[MAX_THREADS], resolve_by[NR_FUTURES], night;
	u64 i, all;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	if (!nr_senders || nr_senders + NR_FUTURES > MAX_THREADS)
		return 2;
	printf("%llu senders, pause %llu us, %llu sets each, seed %llu\n",
	       nr_senders, pause_opt, nr_items, seed);
	for (i = 0; i < NR_FUTURES; i++)
		pthread_create(&resolve_by[i], NULL, resolver, (void *)(uintptr_t)i);
	for (i = 0; i < nr_senders; i++)
		pthread_create(&send_by[i], NULL, sender, (void *)(uintptr_t)i);
	memcpy(patients.thread, resolve_by, sizeof(resolve_by));
	patients.nr = NR_FUTURES;
	/* Senders end once done; the nurse must not signal ended threads. */
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);
	for (i = 0; i < nr_senders; i++)
		pthread_join(send_by[i], NULL);
	all = nr_senders * nr_items * NR_CALLS;
	while (__atomic_load_n(&ran, __ATOMIC_RELAXED) < all)
		sched_yield();
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 0; i < NR_FUTURES; i++)
		pthread_join(resolve_by[i], NULL);
	check(ran == all, "%llu calls started, not %llu", ran, all);
	printf("conflicts %llu, resolved before %llu, started by the sender %llu\n",
	       conflicts, late, ready);
	return 0;
}
