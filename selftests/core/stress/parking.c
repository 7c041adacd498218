// SPDX-License-Identifier: GPL-2.0
/*
 * Parking, scenario C of parking.h, under stress: CPUs that put by a plain
 * store-release without a barrier, and a worker that parks. A round is a put of
 * each, which the worker waits for, so that the bits are set; and then one more
 * of each, while the worker parks. When all have put, a worker that sleeps,
 * with a task there, which nobody claimed to wake, has lost a wake-up: that is
 * counted and no clock is asked.
 *
 *	parking [producers=N] [isolated=N] [rounds=N] [pause=US] [seed=N]
 *		[limit=SECONDS]
 *
 * The last "isolated" of the producers never set a bit and pay smp_mb(). Ends
 * with status 1 at the first wake-up that is lost.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer, and once
 * more as parking-empty: compiled with -DWSQ_FENCE_EMPTY the heavy fence does
 * nothing, and that must lose wake-ups, or the rounds do not meet.
 *
 * Seen to fail, each with three seeds out of three:
 *	parking-empty	within 100 rounds; run-checks has it fail each time
 *	by hand		PK(register:A), isolated=1: PK(register:B), PK(announce:B)
 * Limitations: membarrier hits every thread, in the set or not, and the bits are
 * set before the worker parks: an exchange in the wrong place is for the model
 * and the litmus files to find. It takes two cores for a wake-up to be lost.
 */
#define _GNU_SOURCE
#include "abreast.h"

#include "parking.h"

#define NR_LINES	16

static u64 nr_producers = 1, nr_isolated, nr_rounds = 200000;

static struct wsq_park parked WSQ_CACHE_ALIGNED;
static atomic64_t words[1] WSQ_CACHE_ALIGNED;
static u64 taken[1];
static struct wsq_park_mask mask;

/* What a producer alone writes. */
struct side {
	atomic64_t pos;		/* how much it has put */
	u64 ended;		/* the last round it is done with */
	u64 claims;
	u64 state;
	struct wsq_park_door door;
	/* The task's content: lines the worker has written, slow to get back. */
	struct {
		u64 value;
	} WSQ_CACHE_ALIGNED payload[NR_LINES];
} WSQ_CACHE_ALIGNED;

static struct side sides[MAX_THREADS];
static u64 round_nr WSQ_CACHE_ALIGNED;	/* the worker's: what may be put */
static u64 woken WSQ_CACHE_ALIGNED;	/* claims, by all */

static void put(struct side *s, u64 nr)
{
	u64 i;

	/* At hand, as it is where puts are many: that is the dangerous case. */
	wsq_parked(&parked);
	wsq_fence_begin();
	for (i = 0; i < NR_LINES; i++)
		s->payload[i].value = nr * 3 + i;
	atomic64_set_release(&s->pos, (s64)nr);
	if (wsq_park_claim_remote(&parked, &s->door)) {
		s->claims++;
		__atomic_fetch_add(&woken, 1, __ATOMIC_RELAXED);
	}
	wsq_fence_end();
}

/* A stretch of nothing, of another length each time. */
static void stagger(u64 *state, u64 most)
{
	u64 i, n = rnd(state) % (most + 1);

	for (i = 0; i < n; i++)
		barrier();
}

static void *producer(void *arg)
{
	struct side *s = (struct side *)arg;
	u64 nr;

	pin((u64)(s - sides) + 1);
	for (nr = 1; nr <= 2 * nr_rounds; nr++) {
		wait_for(&round_nr, nr);
		if (is_over())
			break;
		if (nr % 2 == 0)
			stagger(&s->state, 64);
		put(s, nr);
		__atomic_store_n(&s->ended, nr, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Is there a task numbered @nr of anybody? Its content is as it was put. */
static bool look(u64 nr)
{
	bool found = false;
	u64 i, k;

	for (i = 0; i < nr_producers; i++) {
		if ((u64)atomic64_read_acquire(&sides[i].pos) < nr)
			continue;
		for (k = 0; k < NR_LINES; k++)
			check(sides[i].payload[k].value == nr * 3 + k,
			      "producer %llu: task %llu is %llu", i, nr,
			      sides[i].payload[k].value);
		found = true;
	}
	return found;
}

/* The worker is done with the tasks: their lines are its own now. */
static void done(void)
{
	u64 i, k;

	for (i = 0; i < nr_producers; i++)
		for (k = 0; k < NR_LINES; k++)
			sides[i].payload[k].value = 0;
}

static void all_ended(u64 nr)
{
	u64 i;

	for (i = 0; i < nr_producers; i++)
		wait_for(&sides[i].ended, nr);
}

static const struct stress_option options[] = {
	{ "producers", &nr_producers },
	{ "isolated", &nr_isolated },
	{ "rounds", &nr_rounds },
};

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	pthread_t threads[MAX_THREADS], night;
	u64 asleep = 0, fenced = 0, delay = 0, own, before, i, nr;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	if (nr_producers > MAX_THREADS - 1 || nr_isolated > nr_producers)
		return 2;
	if (!pin_first())
		return 2;
	wsq_fence_register();
	wsq_park_init(&parked);
	wsq_park_mask_init(&mask, words, taken, 1);
	printf("%llu producers, %llu isolated, pause %llu us, %llu rounds, seed %llu\n",
	       nr_producers, nr_isolated, pause_opt, nr_rounds, seed);
	own = (seed + MAX_THREADS) * 0x9e3779b97f4a7c15ULL | 1;

	for (i = 0; i < nr_producers; i++) {
		wsq_park_door_init(&sides[i].door, &mask, (u32)i,
				   i < nr_producers - nr_isolated);
		sides[i].state = (seed + i) * 0x9e3779b97f4a7c15ULL | 1;
		pthread_create(&threads[i], NULL, producer, &sides[i]);
	}
	memcpy(patients.thread, threads, nr_producers * sizeof(threads[0]));
	patients.nr = (u32)nr_producers;
	patients.thread[patients.nr++] = pthread_self();
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);

	for (nr = 2; nr <= 2 * nr_rounds; nr += 2) {
		__atomic_store_n(&round_nr, nr - 1, __ATOMIC_RELEASE);
		all_ended(nr - 1);
		before = __atomic_load_n(&woken, __ATOMIC_RELAXED);
		check(look(nr - 1), "what was put is not there");
		done();

		__atomic_store_n(&round_nr, nr, __ATOMIC_RELEASE);
		stagger(&own, delay);
		wsq_park_announce_mask(&parked, &mask);
		fenced += (u64)__builtin_popcountll(taken[0]);
		if (look(nr)) {
			/* Too late: earlier next time. */
			delay -= delay / 16;
			wsq_park_retract(&parked);
			all_ended(nr);
		} else {
			asleep++;
			/* Too early. The two sides shall meet. */
			delay = delay < 4096 ? delay + delay / 16 + 16 : delay;
			all_ended(nr);
			/* Everybody has put, in our eyes too. */
			check(look(nr), "what was put is not there");
			check(!wsq_parked(&parked),
			      "round %llu: a lost wake-up, after %llu sleeps",
			      nr / 2, asleep);
		}
		check(__atomic_load_n(&woken, __ATOMIC_RELAXED) - before <= 1,
		      "round %llu: claimed more than once", nr / 2);
		wsq_park_retract(&parked);
		done();
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 0; i < nr_producers; i++)
		pthread_join(threads[i], NULL);
	printf("sleeps %llu, wake-ups %llu, fenced %llu\n", asleep, woken, fenced);
	check(nr_isolated || fenced, "nobody was ever fenced");
	return 0;
}
