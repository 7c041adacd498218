/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A queue that grows at any moment, by hand: an owner of a queue of 2 x 2 puts,
 * gets, publishes and adds further segments in random order, and thieves, split
 * into look, claim and count, sleep in between while the queue wraps and grows.
 * So the queue grows with the owner, the lowest block and thieves in every
 * position to each other, with blocks held, spare and replaced.
 *
 * The owner gets tasks in the engine's order, each comes out once; a put is
 * refused only if the queue had reported that it is short, and with all thieves
 * awake only if it is full; all blocks come back. The second thread is idle
 * (Relacy requires two): this client says nothing about memory order.
 *
 * For: grow_halves.cpp, lifo_grow_halves.cpp. Shared parts: grow_client.h; use and
 * limitations: client.h, main.h.
 */
#ifndef _WSQ_MODEL_GROW_HALVES_H
#define _WSQ_MODEL_GROW_HALVES_H

#include "grow_client.h"

struct grow_halves : client<grow_halves, 2, 2, 2, 1, 9, 4> {
	struct thief {
		enum { AWAKE, LOOKED, CLAIMED } state;
		engine_block *blk;
		u64 s, n;
		void *tasks[2];
	} thieves[2];

	grow_segment<1, 1> one;
	grow_segment<3, 0> two;
	grow_segment<4, 3> three;
	u32 pieces, entries;

	void look(thief *t)
	{
		u64 b;

		t->blk = (engine_block *)
			wsq_bwos_block_at(&mem.dir, nr_at(rl::rand(entries)));
		t->s = (u64)atomic64_read_acquire(&t->blk->s_pos);
		b = (u64)atomic64_read_acquire(&t->blk->b_pos);
		if (wsq_bwos_idx(t->s) == 2 || b <= t->s ||
		    wsq_bwos_round(b) != wsq_bwos_round(t->s))
			return;
		t->n = rl::rand(2) ? b - t->s : 1;
		t->state = thief::LOOKED;
	}

	wsq_slot_t *slot(thief *t, u64 k)
	{
		return &t->blk->slots[wsq_bwos_idx(t->s) + k];
	}

	void claim(thief *t)
	{
		u64 k;

		t->state = thief::AWAKE;
		if ((u64)atomic64_cmpxchg_relaxed(&t->blk->s_pos, (s64)t->s,
						  (s64)(t->s + t->n)) != t->s)
			return;
		for (k = 0; k < t->n; k++)
			t->tasks[k] = wsq_slot_read(slot(t, k));
		t->state = thief::CLAIMED;
	}

	void count(thief *t)
	{
		u64 k;

		for (k = 0; k < t->n; k++) {
			RL_ASSERT(wsq_slot_read(slot(t, k)) == t->tasks[k]);
			took(t->tasks[k]);
		}
		atomic64_fetch_add_release((s64)t->n, &t->blk->s_cnt);
		t->state = thief::AWAKE;
	}

	void step(thief *t)
	{
		if (t->state == thief::AWAKE)
			look(t);
		else if (t->state == thief::LOOKED)
			claim(t);
		else
			count(t);
	}

	void extend()
	{
		u32 n = 0;

		switch (pieces++) {
		case 0:
			n = one.extend(&q);
			RL_ASSERT(n == 1);
			break;
		case 1:
			n = two.extend(&q);
			RL_ASSERT(n == 3);
			break;
		case 2:
			/* Only nine blocks and four spare blocks fit. */
			n = three.extend(&q);
			RL_ASSERT(n == 3);
			RL_ASSERT(q.nr_spare + q.nr_held == 4);
			break;
		}
		entries += n;
		/* The owner can put at once. */
		RL_ASSERT(!n || !engine(short)(&q));
		RL_ASSERT(engine_ring(&mem));
	}

	void put_one()
	{
		bool space = engine_left(&q);
		bool tight = engine(short)(&q);
		bool spare = q.nr_spare;

		put(1);
		/* With a held block that was counted since. */
		RL_ASSERT(!in[next - 1] || space || !tight || !spare);
		RL_ASSERT(in[next - 1] || (!space && tight));
		RL_ASSERT(in[next - 1] || engine(short)(&q));
	}

	void thread(unsigned int i)
	{
		int lap;

		if (i)
			return;
		for (thief &t : thieves)
			t.state = thief::AWAKE;
		pieces = 0;
		entries = 2;
		for (lap = 0; lap < 60; lap++) {
			switch (rl::rand(8)) {
			case 0:
			case 1:
				step(&thieves[rl::rand(2)]);
				break;
			case 2:
				if (!rl::rand(3))
					extend();
				else
					engine_publish(&q);
				break;
			case 3:
			case 4:
			case 5:
				/* Leave some for after(). */
				if (next < MAX_TASKS - 20)
					put_one();
				break;
			default:
				get(1);
				break;
			}
		}
		for (thief &t : thieves)
			while (t.state != thief::AWAKE)
				step(&t);
	}

	void after()
	{
		holds(entries, pieces > 2 ? 4 : 1 + (pieces > 0));
	}
};

#endif /* _WSQ_MODEL_GROW_HALVES_H */
