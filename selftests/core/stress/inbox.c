// SPDX-License-Identifier: GPL-2.0
/*
 * Inbox and parking under stress: pushers, and takers that restore the order of
 * what they take. Every item comes out as often as it was pushed, with its
 * content, and each pusher's items in the order of pushing. Pushers have few
 * items and push each again as soon as it was taken, at the same address (ABA).
 *
 *	inbox [pushers=N] [takers=N] [items=N] [park=0|1] [pause=US] [seed=N]
 *	      [limit=SECONDS]
 *
 * park=1: one taker, which sleeps by the protocol of parking.h (scenario B),
 * and pushers that wake it and wait until their item is taken before they push
 * the next: any push may lose its wake-up, and then the program hangs until
 * "limit".
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer.
 *
 * Seen to fail (mutants of ../model/mutants.list):
 *	plain		push-store, reverse-forgets
 *	plain, park=1	PK(announce:B), the barrier gone: hangs
 *	tsan		IN(take:A), IN(push:C)
 * Limitations: with several takers order is checked within each take. An extra
 * wake-up (claim-store) is harmless here; the model checks for it.
 */
#include <semaphore.h>

#include "stress.h"

#include "inbox.h"
#include "parking.h"

#define NR_OWN	16

static u64 nr_pushers = 3, nr_takers = 1, nr_items = 300000, park;

struct item {
	atomic64_t link;
	u64 pusher, seq;
	u32 in;			/* 1 while pushed; the taker clears it */
};

static struct wsq_inbox inbox;
static struct wsq_park parked;
static sem_t bell;
static u64 wakes, sleeps;
static struct item items[MAX_THREADS][NR_OWN];
static u64 taken_of[MAX_THREADS], sum_of[MAX_THREADS], conflicts, opens, takes;

static void *pusher(void *arg)
{
	u64 me = (u64)(uintptr_t)arg, seq;
	int ret;

	for (seq = 1; seq <= nr_items; seq++) {
		struct item *it = &items[me][seq % (park ? 1 : NR_OWN)];

		while (__atomic_load_n(&it->in, __ATOMIC_ACQUIRE))
			sched_yield();
		it->pusher = me;
		it->seq = seq;
		it->in = 1;
		while ((ret = wsq_inbox_try_push(&inbox, &it->link)) == WSQ_CONFLICT)
			__atomic_fetch_add(&conflicts, 1, __ATOMIC_RELAXED);
		if (ret == WSQ_PUBLISHED)
			__atomic_fetch_add(&opens, 1, __ATOMIC_RELAXED);
		if (park && wsq_park_claim(&parked)) {
			__atomic_fetch_add(&wakes, 1, __ATOMIC_RELAXED);
			sem_post(&bell);
		}
	}
	return NULL;
}

static bool take_some(u64 *last, u64 *state)
{
	atomic64_t *links = wsq_inbox_take(&inbox), *l;
	struct wsq_backlog bl;

	if (!links)
		return false;
	__atomic_fetch_add(&takes, 1, __ATOMIC_RELAXED);
	wsq_backlog_init(&bl);
	wsq_backlog_fill(&bl, links);
	while (!wsq_backlog_reverse(&bl, (u32)(rnd(state) % 4 + 1)))
		;
	while ((l = wsq_backlog_pop(&bl))) {
		struct item *it = (struct item *)l;
		u64 who = it->pusher;

		check(who < nr_pushers, "an item of pusher %llu", who);
		check(__atomic_load_n(&it->in, __ATOMIC_RELAXED) == 1,
		      "pusher %llu, item %llu came out twice", who, it->seq);
		check(it->seq > last[who] && (nr_takers > 1 || it->seq == last[who] + 1),
		      "pusher %llu: item %llu behind %llu", who, it->seq, last[who]);
		last[who] = it->seq;
		__atomic_fetch_add(&taken_of[who], 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&sum_of[who], it->seq, __ATOMIC_RELAXED);
		__atomic_store_n(&it->in, 0, __ATOMIC_RELEASE);
	}
	return true;
}

static void *taker(void *arg)
{
	u64 last[MAX_THREADS] = { 0 };
	u64 state = (seed + (u64)(uintptr_t)arg) * 0x9e3779b97f4a7c15ULL | 1;

	while (!is_over()) {
		if (take_some(last, &state))
			continue;
		if (!park) {
			sched_yield();
			continue;
		}
		wsq_park_announce(&parked);
		if (wsq_inbox_empty(&inbox) && !is_over()) {
			sleeps++;
			while (sem_wait(&bell))
				;
		}
		wsq_park_claim(&parked);
	}
	return NULL;
}

static const struct stress_option options[] = {
	{ "pushers", &nr_pushers },
	{ "takers", &nr_takers },
	{ "items", &nr_items },
	{ "park", &park },
};

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	pthread_t push[MAX_THREADS], take[MAX_THREADS], night;
	u64 state = 1, last[MAX_THREADS] = { 0 };
	u64 i;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	if (nr_pushers + nr_takers > MAX_THREADS || (park && nr_takers != 1))
		return 2;
	wsq_inbox_init(&inbox);
	wsq_park_init(&parked);
	sem_init(&bell, 0, 0);
	printf("%llu pushers, %llu takers, park %llu, pause %llu us, %llu items each, seed %llu\n",
	       nr_pushers, nr_takers, park, pause_opt, nr_items, seed);

	for (i = 0; i < nr_takers; i++)
		pthread_create(&take[i], NULL, taker, (void *)(uintptr_t)i);
	for (i = 0; i < nr_pushers; i++)
		pthread_create(&push[i], NULL, pusher, (void *)(uintptr_t)i);
	memcpy(patients.thread, take, nr_takers * sizeof(take[0]));
	memcpy(patients.thread + nr_takers, push, nr_pushers * sizeof(push[0]));
	patients.nr = (u32)(nr_takers + nr_pushers);
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);

	/* Pushers end once pushed; the nurse must not signal ended threads. */
	if (pause_us) {
		u64 sum;

		do {
			sleep_us(1000);
			for (sum = i = 0; i < nr_pushers; i++)
				sum += __atomic_load_n(&taken_of[i], __ATOMIC_RELAXED);
		} while (sum < nr_pushers * nr_items);
		__atomic_store_n(&over, true, __ATOMIC_RELEASE);
		pthread_join(night, NULL);
	}
	for (i = 0; i < nr_pushers; i++)
		pthread_join(push[i], NULL);
	if (!park)
		__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	/* Only the sleeper itself takes the last items. */
	for (i = 0; park && i < nr_pushers; i++)
		while (__atomic_load_n(&taken_of[i], __ATOMIC_RELAXED) < nr_items)
			sched_yield();
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	sem_post(&bell);
	for (i = 0; i < nr_takers; i++)
		pthread_join(take[i], NULL);
	if (!park) {
		nr_takers = 2;	/* what is left is later than all the rest */
		take_some(last, &state);
	}
	check(wsq_inbox_empty(&inbox), "something is left");
	for (i = 0; i < nr_pushers; i++) {
		check(taken_of[i] == nr_items, "pusher %llu: %llu of %llu items came out",
		      i, taken_of[i], nr_items);
		check(sum_of[i] == nr_items * (nr_items + 1) / 2,
		      "pusher %llu: not each item once", i);
	}
	check(opens == takes, "%llu times filled, %llu times emptied", opens, takes);
	printf("conflicts %llu, takes %llu, sleeps %llu, wake-ups %llu\n",
	       conflicts, takes, sleeps, wakes);
	return 0;
}
