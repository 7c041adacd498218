// SPDX-License-Identifier: GPL-2.0
/*
 * Claimed slots under stress, and memory that comes and goes: every task comes
 * out exactly once, by whichever way, with the content it was put with.
 *
 *	claims [places=N] [size=N] [spare=N] [thieves=N] [pryers=N]
 *	       [withdrawers=N] [items=N] [batch=0|1] [remount=0|1] [grow=0|1]
 *	       [early=0|1] [pause=US] [seed=N] [limit=SECONDS]
 *
 * The owner puts by reserve, fill and commit and takes by claim; thieves steal
 * by claim; pryers take out of the owner's block; withdrawers take back recent
 * tasks by the slot numbers that the owner noted down for them. batch=1: commits
 * of several slots, in one or more steps, and steals of up to a block.
 * remount=1: whenever the owner has drained the queue it takes the memory away
 * and mounts another one, of other places, size and spare blocks up to those
 * given. grow=1: memory has two places at first, and grows now and then, by some
 * places and a spare block, to as many as were to be; the same pieces come again
 * when the memory does. pause: stress.h.
 *
 * Memory taken away is used again only when each party has left the section it
 * was in, as after RCU's grace period; half of it is then mounted again as it
 * is, the other half filled with a pattern and freed: at once under the address
 * sanitizer, which sees a late access, otherwise after a while, if the pattern
 * is whole. early=1 does not wait for the sections: run-checks sees that fail.
 *
 * Checked besides: the owner sees ascending ids, and so does each steal, within
 * a block; what the owner has drained can be unmounted; in memory that is out of
 * use each slot holds NULL and each block is spent; the payload is plain memory,
 * written before fill and read by the taker, and so is the description of the
 * memory, for the thread sanitizer; a note has no order, so that a withdrawer
 * has nothing but the slot; with as many spare blocks as thieves the owner is
 * never refused room after its claim found nothing.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer. Bounded by
 * the number of items; "limit" ends a hang.
 *
 * Seen to fail, with mutants of ../model/mutants.list:
 *	plain			slot-claim-store, withdraw-no-claim, open-no-reset
 *	batch=1 size=4 thieves=2 pause=200
 *				pry-no-claim, open-no-count, steal-store
 *	remount=1 size=20 places=4 batch=1 pause=200
 *				all of those; pry-no-claim and steal-store not
 *				each time
 *	tsan, batch=1 size=4	BF(fill:A), BF(pry:E), BF(out:A)
 *	tsan, remount=1		those, BF(mount:A), BF(steal:G)
 *
 * Limitations: as bwos_fifo.c's. Claimed slots are atomic words, so the thread
 * sanitizer does not miss the positions' orders (BF(put:C), BF(steal:C),
 * BF(steal:F), BF(open:B) here), which bwos_fifo.c and ../litmus cover. take-all
 * does no harm here: the owner walks over what thieves have claimed.
 */
#include "book.h"

static u64 nr_spare, nr_thieves = 1, nr_pryers = 1, nr_withdrawers = 1;
static u64 remount, grow, early;

static struct wsq_bwos_fifo queue;
static struct wsq_bwos_block none;
static u32 *note;
static u64 next_id = 1;

#define MAX_PIECES	4

/**
 * struct memory - memory, mounted or out of use
 * @mem: what a queue gets
 * @more: what it may grow by
 * @nr_made: pieces of that which are there
 * @nr_more: those that it has grown by since it was mounted
 * @next: what was taken away after it
 * @section: where each party was when it was taken away
 */
struct memory {
	struct wsq_bwos_mem mem;
	struct wsq_bwos_piece more[MAX_PIECES];
	u32 nr_made;
	u32 nr_more;
	struct memory *next;
	u64 section[MAX_THREADS];
};

static struct memory *mounted;

/* What becomes of it: mounted, retired, then spotless or poisoned. */
static struct memory *retired, **retired_tail = &retired, *spotless;
static u32 nr_retired, nr_spotless;
static u64 nr_remounts, nr_growths;

#define PATTERN		0xdb
#define MAX_RETIRED	64
#define MAX_SPOTLESS	8

#ifdef __SANITIZE_ADDRESS__
#define MAX_POISONED	0
#else
#define MAX_POISONED	16
#endif
static struct memory *poisoned[MAX_POISONED + 1];
static u64 nr_poisoned;

static void enter(struct party *p)
{
	__atomic_store_n(&p->section, p->section + 1, __ATOMIC_RELAXED);
	/* Either retire() sees the section, or the section other memory. */
	smp_mb();
}

static void leave(struct party *p)
{
	__atomic_store_n(&p->section, p->section + 1, __ATOMIC_RELEASE);
}

static void *thief(void *arg)
{
	struct party *p = (struct party *)arg;
	void *tasks[4096];
	int i, n;

	while (!is_over()) {
		u32 max = batch && rnd(&p->state) % 2 ? (u32)block_size : 1;

		enter(p);
		n = wsq_bwos_fifo_steal_claim(&queue, tasks, max);
		leave(p);
		check(n <= (int)max, "stole %d of at most %u", n, max);
		for (i = 0; i < n; i++) {
			check(!i || id_of(tasks[i]) > id_of(tasks[i - 1]),
			      "a steal with %llu behind %llu", id_of(tasks[i]),
			      id_of(tasks[i - 1]));
			check(id_of(tasks[i]) - id_of(tasks[0]) < block_size,
			      "a steal from more than a block");
			took(p, tasks[i]);
		}
		if (n <= 0)
			dawdle(&p->state);
	}
	return NULL;
}

static void *pryer(void *arg)
{
	struct party *p = (struct party *)arg;
	void *tasks[64];
	int i, n = 0;

	while (!is_over()) {
		u32 max = (u32)(rnd(&p->state) % 64) + 1;

		enter(p);
		/* As the module does: look before prying. */
		if (wsq_bwos_fifo_waiting(&queue))
			n = wsq_bwos_fifo_pry(&queue, tasks, max);
		leave(p);
		check(n <= (int)max, "pried %d of at most %u", n, max);
		for (i = 0; i < n; i++)
			took(p, tasks[i]);
		/* The owner's block is small: leave it something. */
		dawdle(&p->state);
		dawdle(&p->state);
		n = 0;
	}
	return NULL;
}

static void *withdrawer(void *arg)
{
	struct party *p = (struct party *)arg;

	while (!is_over()) {
		u64 r = rnd(&p->state);
		u64 next = __atomic_load_n(&next_id, __ATOMIC_RELAXED);
		u64 back = r % (block_size * nr_places < 64 ?
				block_size * nr_places : 64);
		u64 id = next + 1 > back ? next + 1 - back : 1;
		u32 nr;
		bool ok;

		if (id > nr_items)
			id = nr_items;
		nr = __atomic_load_n(&note[id], __ATOMIC_RELAXED);
		/* Any number may be asked for. */
		if ((r >> 32) % 64 == 0)
			nr = (u32)(r >> 38) % 2 ? (u32)(r >> 8) : nr + 1;
		enter(p);
		ok = wsq_bwos_fifo_withdraw(&queue, nr, task_of(id));
		leave(p);
		if (ok)
			took(p, task_of(id));
		if ((r >> 40) % 4 == 0)
			dawdle(&p->state);
	}
	return NULL;
}

static void check_piece(const struct wsq_bwos_mem *mem,
			const struct wsq_bwos_piece *piece)
{
	u32 nr = piece->nr_places + piece->nr_spare, i;

	for (i = 0; i < nr * mem->block_size; i++)
		check(!piece->slots[i].task, "task %llu stayed in slot %u of memory taken away",
		      id_of(piece->slots[i].task), i);
	for (i = 0; i < nr; i++) {
		const struct wsq_bwos_block *blk = &piece->blocks[i];
		u64 b = (u64)atomic64_read(&blk->b_pos);

		check((u64)atomic64_read(&blk->f_pos) == b,
		      "block %u of memory taken away is not read up", i);
		check((u64)atomic64_read(&blk->s_cnt) ==
		      (wsq_bwos_round(b) | mem->block_size),
		      "block %u of memory taken away is not counted up", i);
	}
}

/* Nothing of a memory is in use any more: it could be mounted as it is. */
static void check_spotless(const struct memory *m)
{
	u32 i;

	check_piece(&m->mem, &m->mem.first);
	for (i = 0; i < m->nr_more; i++)
		check_piece(&m->mem, &m->more[i]);
}

/* Fills a piece with the pattern, or sees that it is whole. */
static void piece(void *p, size_t n, bool fill)
{
	const unsigned char *byte = (const unsigned char *)p;
	size_t i;

	if (fill) {
		memset(p, PATTERN, n);
		return;
	}
	for (i = 0; i < n; i++)
		check(byte[i] == PATTERN, "memory out of use was written to");
}

static void blocks(const struct wsq_bwos_piece *p, u32 size, bool fill)
{
	size_t nr = p->nr_places + p->nr_spare;

	piece(p->blocks, nr * sizeof(*p->blocks), fill);
	piece(p->slots, nr * size * sizeof(*p->slots), fill);
}

static void pieces(struct memory *m, bool fill)
{
	struct wsq_bwos_mem *mem = &m->mem;
	u32 i;

	blocks(&mem->first, mem->block_size, fill);
	for (i = 0; i < m->nr_made; i++)
		blocks(&m->more[i], mem->block_size, fill);
	piece(mem->dir.words, mem->dir.max_places * sizeof(*mem->dir.words), fill);
	piece(mem->dir.blocks, mem->dir.max_blocks * sizeof(*mem->dir.blocks), fill);
}

static void memory_free(struct memory *m)
{
	while (m->nr_made)
		piece_free(&m->more[--m->nr_made]);
	mem_free(&m->mem);
	free(m);
}

static void discard(struct memory *m)
{
	struct memory *old;

	pieces(m, true);
	if (MAX_POISONED) {
		old = poisoned[nr_poisoned % (MAX_POISONED + 1)];
		poisoned[nr_poisoned++ % (MAX_POISONED + 1)] = m;
		m = old;
		if (!m)
			return;
		pieces(m, false);
	}
	memory_free(m);
}

/* Has each party left the section it was in? */
static bool sections_over(const struct memory *m)
{
	u32 i;

	for (i = 1; !early && i < MAX_THREADS; i++)
		if (m->section[i] % 2 &&
		    __atomic_load_n(&parties[i].section, __ATOMIC_ACQUIRE) ==
		    m->section[i])
			return false;
	return true;
}

static void reap(struct party *p, u32 leave_nr)
{
	while (retired) {
		struct memory *m = retired;

		if (!sections_over(m)) {
			if (nr_retired <= leave_nr)
				return;
			sched_yield();
			continue;
		}
		retired = m->next;
		if (!retired)
			retired_tail = &retired;
		nr_retired--;
		check_spotless(m);
		if (rnd(&p->state) % 2 && nr_spotless < MAX_SPOTLESS) {
			m->next = spotless;
			spotless = m;
			nr_spotless++;
		} else {
			discard(m);
		}
	}
}

static void retire(struct memory *m)
{
	u32 i;

	/* Pairs with enter(). */
	smp_mb();
	for (i = 0; i < MAX_THREADS; i++)
		m->section[i] = __atomic_load_n(&parties[i].section,
						__ATOMIC_ACQUIRE);
	m->next = NULL;
	*retired_tail = m;
	retired_tail = &m->next;
	nr_retired++;
}

static void mem_make(struct wsq_bwos_mem *mem, u64 r)
{
	u32 places = (u32)nr_places, size = (u32)block_size;
	u32 spare = (u32)nr_spare;

	if (remount) {
		places = (u32)(2 + r % (nr_places - 1));
		size = (u32)(2 + (r >> 16) % (block_size - 1));
		spare = (u32)((r >> 32) % (nr_spare + 1));
	}
	if (grow)
		mem_new_max(mem, 2, size, spare, places, spare + MAX_PIECES);
	else
		mem_new(mem, places, size, spare);
}

/* Have the queue grow by a piece, of any size, if it may. */
static void grow_some(struct party *p)
{
	const struct wsq_bwos_dir *dir = &mounted->mem.dir;
	u32 room = dir->max_places - wsq_bwos_places(dir), n;
	struct wsq_bwos_piece *more;

	if (!grow || !room || mounted->nr_more == MAX_PIECES)
		return;
	more = &mounted->more[mounted->nr_more++];
	if (mounted->nr_more > mounted->nr_made) {
		n = (u32)(rnd(&p->state) % room) + 1;
		piece_new(more, mounted->nr_more < MAX_PIECES ? n : room,
			  mounted->mem.block_size, 1);
		mounted->nr_made++;
	}
	n = wsq_bwos_fifo_extend(&queue, more);
	check(n == more->nr_places, "grew by %u, not %u", n, more->nr_places);
	nr_growths++;
}

static void mount(struct party *p)
{
	u64 r = rnd(&p->state);
	struct memory *m = spotless;

	if (m) {
		spotless = m->next;
		nr_spotless--;
	} else {
		m = (struct memory *)calloc(1, sizeof(*m));
		if (!m)
			abort();
		mem_make(&m->mem, r);
	}
	m->nr_more = 0;
	mounted = m;
	wsq_bwos_fifo_mount(&queue, &m->mem);
}

/* The queue is drained: nothing may keep its memory. */
static void unmount(struct party *p)
{
	struct wsq_bwos_room room;

	check(wsq_bwos_fifo_unmount(&queue) == &mounted->mem,
	      "drained, and its memory is not given back");
	check(wsq_bwos_fifo_reserve(&queue, &room) == WSQ_FULL,
	      "room without memory");
	check(!wsq_bwos_fifo_claim(&queue), "a task without memory");
	retire(mounted);
	nr_remounts++;
	reap(p, MAX_RETIRED);
}

/* Puts some; *full tells whether room ran out. */
static void put_some(struct party *p, u64 want, bool *full)
{
	*full = false;
	while (want && next_id <= nr_items) {
		u64 left = nr_items - next_id + 1;
		struct wsq_bwos_room room;
		u32 n = 1, k;

		if (wsq_bwos_fifo_reserve(&queue, &room) < 0) {
			*full = true;
			return;
		}
		check(room.n && room.n <= mounted->mem.block_size,
		      "room for %u", room.n);
		if (batch && rnd(&p->state) % 2) {
			n = room.n < want ? room.n : (u32)want;
			n = n < left ? n : (u32)left;
		}
		for (k = 0; k < n; k++) {
			u64 id = next_id;

			payload[id] = id * 3;
			__atomic_store_n(&note[id], room.nr + k, __ATOMIC_RELAXED);
			wsq_bwos_fifo_fill(&queue, &room, k, task_of(id));
			__atomic_store_n(&next_id, id + 1, __ATOMIC_RELAXED);
			/* Between fill and commit only withdrawers may come. */
			if (rnd(&p->state) % 8 == 0)
				dawdle(&p->state);
			if (batch && rnd(&p->state) % 4 == 0)
				wsq_bwos_fifo_commit(&queue, &room, k + 1);
		}
		wsq_bwos_fifo_commit(&queue, &room, n);
		want -= n;
	}
}

/* Takes some, or walks over where some have been; false if there was nothing. */
static bool take_some(struct party *p, u64 want)
{
	bool any = false;

	while (want--) {
		void *task = wsq_bwos_fifo_claim(&queue);

		if (!task)
			return any;
		any = true;
		if (task != WSQ_TOMB)
			took_in_order(p, task);
	}
	return any;
}

static void owner(struct party *p)
{
	u64 refused = 0;
	bool full;

	while (next_id <= nr_items) {
		put_some(p, burst(p), &full);
		if (full ? rnd(&p->state) % 2 : rnd(&p->state) % 64 == 0)
			grow_some(p);
		/* The others shall have their chance. */
		dawdle(&p->state);
		if (remount && rnd(&p->state) % 4 == 0) {
			while (take_some(p, 64))
				;
			unmount(p);
			dawdle(&p->state);
			mount(p);
			continue;
		}
		if (!full || take_some(p, burst(p)))
			continue;
		/* Nothing to claim: only a thief can be in the way. */
		put_some(p, 1, &full);
		if (!full)
			continue;
		check(mounted->mem.first.nr_spare < nr_thieves,
		      "%llu thieves stopped an owner with %u spare blocks",
		      nr_thieves, mounted->mem.first.nr_spare);
		refused++;
		sched_yield();
	}
	while (taken_by_all() < nr_items)
		if (!take_some(p, 64))
			sched_yield();
	printf("owner: stopped by thieves %llu times, other memory %llu times, grew %llu times\n",
	       refused, nr_remounts, nr_growths);
}

/* All is over: the last memory too is as new, and so is all that waited. */
static void end(struct party *p)
{
	struct memory *m;
	u32 i;

	while (take_some(p, 64))
		;
	check(wsq_bwos_fifo_empty(&queue), "empty, and says it is not");
	check(!wsq_bwos_fifo_waiting(&queue), "empty, and something waits");
	unmount(p);
	check(!wsq_bwos_fifo_unmount(&queue), "unmounted twice");
	reap(p, 0);
	while ((m = spotless)) {
		spotless = m->next;
		discard(m);
	}
	for (i = 0; i <= MAX_POISONED; i++) {
		m = poisoned[i];
		if (!m)
			continue;
		pieces(m, false);
		memory_free(m);
	}
}

static const struct stress_option options[] = {
	{ "places", &nr_places },
	{ "size", &block_size },
	{ "spare", &nr_spare },
	{ "thieves", &nr_thieves },
	{ "pryers", &nr_pryers },
	{ "withdrawers", &nr_withdrawers },
	{ "items", &nr_items },
	{ "batch", &batch },
	{ "remount", &remount },
	{ "grow", &grow },
	{ "early", &early },
};

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	pthread_t night;
	u64 nr;
	u32 i;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	nr = nr_thieves + nr_pryers + nr_withdrawers;
	if (nr > MAX_THREADS - 1 || block_size > 4096 || block_size < 2 ||
	    nr_places > 64 || nr_places < 2)
		return 2;
	note = (u32 *)calloc(nr_items + 1, sizeof(*note));
	if (!note || !book_open())
		return 2;
	printf("%llu x %llu + %llu, %llu thieves, %llu pryers, %llu withdrawers, batch %llu, remount %llu, grow %llu, pause %llu us, %llu items, seed %llu\n",
	       nr_places, block_size, nr_spare, nr_thieves, nr_pryers,
	       nr_withdrawers, batch, remount, grow, pause_opt, nr_items, seed);
	wsq_bwos_fifo_init(&queue, &none);
	mount(&parties[0]);

	for (i = 0; i < nr; i++)
		pthread_create(&patients.thread[i], NULL,
			       i < nr_thieves ? thief :
			       i < nr_thieves + nr_pryers ? pryer : withdrawer,
			       &parties[1 + i]);
	patients.thread[nr] = pthread_self();
	patients.nr = (u32)nr + 1;
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);
	owner(&parties[0]);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 0; i < nr; i++)
		pthread_join(patients.thread[i], NULL);

	end(&parties[0]);
	book_close();
	printf("stolen %llu, pried %llu, withdrawn %llu\n",
	       taken_by(1, nr_thieves), taken_by(1 + nr_thieves, nr_pryers),
	       taken_by(1 + nr_thieves + nr_pryers, nr_withdrawers));
	free(note);
	return 0;
}
