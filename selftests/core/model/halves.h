/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Thieves that sleep long, by hand: steal split into look, claim and count (BF
 * and LI (steal:A..C), (steal:D), (steal:E..F)), which an owner with one spare
 * block executes between its own operations in random order. So a thief sleeps
 * while the queue wraps, which random schedules of threads never produce.
 *
 * A slot must hold at the count what it held at the claim; an empty queue has
 * space for a block and one more task while one thief holds a block; with every
 * thief awake all blocks come back. The second thread is idle (Relacy requires
 * two): this client says nothing about memory order.
 *
 * For: halves.cpp, bwos_lifo_halves.cpp. Use and limitations: client.h, main.h.
 */
#ifndef _WSQ_MODEL_HALVES_H
#define _WSQ_MODEL_HALVES_H

#include "client.h"

struct halves : client<halves, 2, 2, 2, 1> {
	struct thief {
		enum { AWAKE, LOOKED, CLAIMED } state;
		u64 nr, s, n;
		void *tasks[2];
	} thieves[3];

	void look(thief *t)
	{
		u64 b;

		t->nr = nr_at(rl::rand(2));
		t->s = (u64)atomic64_read_acquire(&blocks[t->nr].s_pos);
		b = (u64)atomic64_read_acquire(&blocks[t->nr].b_pos);
		if (wsq_bwos_idx(t->s) == 2 || b <= t->s ||
		    wsq_bwos_round(b) != wsq_bwos_round(t->s))
			return;
		t->n = rl::rand(2) ? b - t->s : 1;
		t->state = thief::LOOKED;
	}

	wsq_slot_t *slot(thief *t, u64 k)
	{
		return &slots[t->nr * 2 + wsq_bwos_idx(t->s) + k];
	}

	void claim(thief *t)
	{
		u64 k;

		t->state = thief::AWAKE;
		if ((u64)atomic64_cmpxchg_relaxed(&blocks[t->nr].s_pos, (s64)t->s,
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
		atomic64_fetch_add_release((s64)t->n, &blocks[t->nr].s_cnt);
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

	void thread(unsigned int i)
	{
		unsigned int claimed;
		int lap;

		if (i)
			return;

		for (i = 0; i < 3; i++)
			thieves[i].state = thief::AWAKE;
		for (lap = 0; lap < 40; lap++) {
			switch (rl::rand(5 + ENGINE_LIFO)) {
			case 0:
				step(&thieves[rl::rand(3)]);
				break;
			case 1:
			case 2:
				put(1);
				break;
			case 5:
				engine_publish(&q);
				break;
			default:
				get(1);
				break;
			}
		}
		/* One sleeper, one spare block. */
		claimed = 0;
		for (i = 0; i < 3; i++)
			if (thieves[i].state == thief::CLAIMED && claimed++)
				count(&thieves[i]);
		if (claimed) {
			while (get(1))
				;
			put(3);
			RL_ASSERT(in[next - 1] && in[next - 2] && in[next - 3]);
		}
		for (i = 0; i < 3; i++)
			while (thieves[i].state != thief::AWAKE)
				step(&thieves[i]);
	}
};

#endif /* _WSQ_MODEL_HALVES_H */
