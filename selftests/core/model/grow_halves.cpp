// SPDX-License-Identifier: GPL-2.0
/*
 * A queue that grows at any moment, by hand: an owner of a queue of 2 x 2 puts,
 * gets and takes in further pieces in random order, and thieves, taken apart into
 * claim and count, sleep in between through whole laps and growth. So the queue
 * grows with the producer, the consumer and thieves in every position to each
 * other, with blocks held, spare and replaced.
 *
 * Tasks come in order and once; a put is refused only if the queue had said that it
 * is short, and with all thieves awake only if it is full; all blocks come back.
 * The second thread is idle (Relacy wants two): this client says nothing about
 * memory order. Shared parts: grow_client.h; use and limitations: client.h.
 */
#include "grow_client.h"

struct grow_halves : fifo_client<grow_halves, 2, 2, 2, 1, 9, 4> {
	using base = fifo_client<grow_halves, 2, 2, 2, 1, 9, 4>;

	struct thief {
		bool claimed;
		wsq_bwos_block *blk;
		u64 s, n;
		void *tasks[2];
	} thieves[2];

	grow_piece<1, 1> one;
	grow_piece<3, 0> two;
	grow_piece<4, 3> three;
	u32 pieces, places;

	void step(thief *t)
	{
		u32 at = rl::rand(places);
		u64 b, k;

		if (t->claimed) {
			for (k = 0; k < t->n; k++) {
				wsq_slot_t *slot;

				slot = &t->blk->slots[wsq_bwos_idx(t->s) + k];
				RL_ASSERT(wsq_slot_read(slot) == t->tasks[k]);
				took(t->tasks[k]);
			}
			atomic64_fetch_add_release((s64)t->n, &t->blk->s_cnt);
			t->claimed = false;
			return;
		}
		t->blk = wsq_bwos_blk(&mem, wsq_bwos_nr(wsq_bwos_at(&mem.dir,
								      at)));
		t->s = (u64)atomic64_read(&t->blk->s_pos);
		b = (u64)atomic64_read_acquire(&t->blk->b_pos);
		if (wsq_bwos_idx(t->s) == 2 || b <= t->s ||
		    wsq_bwos_round(b) != wsq_bwos_round(t->s))
			return;
		t->n = rl::rand(2) ? b - t->s : 1;
		atomic64_set(&t->blk->s_pos, (s64)(t->s + t->n));
		for (k = 0; k < t->n; k++)
			t->tasks[k] = wsq_slot_read(&t->blk->slots[wsq_bwos_idx(t->s) + k]);
		t->claimed = true;
	}

	void wake()
	{
		for (thief &t : thieves)
			if (t.claimed)
				step(&t);
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
			/* There is room for nine places and four spare blocks. */
			n = three.extend(&q);
			RL_ASSERT(n == 3);
			RL_ASSERT(q.nr_spare + q.nr_held == 4);
			break;
		}
		places += n;
		/* The producer may go on at once. */
		RL_ASSERT(!n || !wsq_bwos_fifo_short(&q));
	}

	void put_one()
	{
		bool room = wsq_bwos_idx((u64)atomic64_read(&q.p.blk->b_pos)) != 2;
		bool tight = wsq_bwos_fifo_short(&q);
		bool spare = q.nr_spare;

		put(1);
		/* With a held block that was counted meanwhile. */
		RL_ASSERT(!in[next - 1] || room || !tight || !spare);
		RL_ASSERT(in[next - 1] || (!room && tight));
		RL_ASSERT(in[next - 1] || wsq_bwos_fifo_short(&q));
	}

	void thread(unsigned int i)
	{
		int lap;

		if (i)
			return;
		for (thief &t : thieves)
			t.claimed = false;
		pieces = 0;
		places = 2;
		for (lap = 0; lap < 60; lap++) {
			switch (rl::rand(8)) {
			case 0:
				step(&thieves[rl::rand(2)]);
				break;
			case 1:
				if (!rl::rand(3))
					extend();
				break;
			case 2:
			case 3:
			case 4:
				if (next < MAX_TASKS - 1)
					put_one();
				break;
			default:
				get(1);
				break;
			}
		}
		wake();
		drain();
	}

	void after()
	{
		unsigned int i;

		/* A lap and a half: each place has its turn. */
		for (i = 0; i < places * 3; i++) {
			next = 1;
			last_got = 0;
			std::memset(out, 0, sizeof(out));
			put(1);
			RL_ASSERT(in[1]);
			RL_ASSERT(get(1) == 1);
		}
		RL_ASSERT(!q.nr_held);
		RL_ASSERT(q.nr_spare == (pieces > 2 ? 4 : 1 + (pieces > 0)));
		next = 1;
		last_got = 0;
		std::memset(out, 0, sizeof(out));
		for (i = 0; i < (places - 1) * 2 + 1; i++) {
			put(1);
			RL_ASSERT(in[next - 1]);
		}
		drain();
	}
};

CLIENT_MAIN(grow_halves)
