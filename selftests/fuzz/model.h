/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzer of rings knows of a ring, by looking on: what was taken, and what
 * became of it.
 */
#ifndef _WSQ_FUZZ_MODEL_H
#define _WSQ_FUZZ_MODEL_H

#include "oracle.h"

#include <ring/ring.h>

#define MODELS		4
#define ENTRIES		1024	/* submissions of a ring, no more are made */

/**
 * struct entry - a submission
 * @sqe: the entry, as it was when it was taken
 * @taken: that has been seen. What follows may have happened before
 * @error: what it is refused with, 0 if it is not
 * @linked: the one before it has to succeed
 * @head: the first of its unit
 * @unit_end: behind its unit, of a head
 * @done: it has completed
 * @place: as which completion
 * @res: its result
 * @begun: when its probe began, 0 if it did not
 * @ended: when that ended
 * @called_back: by a CANCEL that said that it will not run
 * @must_cancel: ... by its id
 * @may_cancel: it was called back, or its ring was closed, before it had completed
 * @id: as told
 */
struct entry {
	struct wsq_sqe sqe;
	bool taken;
	int error;
	bool linked;
	bool head;
	u64 unit_end;
	bool done;
	u64 place;
	s64 res;
	u64 begun;
	u64 ended;
	bool called_back;
	bool must_cancel;
	bool may_cancel;
	u64 id;
};

/**
 * struct model - a ring
 * @ring: where it is, as long as it is
 * @live: SETUP has succeeded
 * @closed: its file is gone, or about to go
 * @cq_head: what the kernel has accepted
 * @cancels: calls of CANCEL that are under way
 * @sq: submission entries
 * @cq: completion entries
 * @setup_flags: of SETUP, those that entries depend on
 * @arena: bytes
 * @ops: bits of ops that are allowed, of those below 64 and, from 56 on, the
 *	harness' own
 * @sqe_flags: WSQ_SQE_* that are allowed
 * @taken: submissions
 * @completed: completions
 * @honest: of a polled ring: who stores cursors looks whether the poller sleeps
 * @wild: entries were written while they were taken, so nobody knows them
 * @entry: submissions, by number
 */
struct model {
	struct wsq_ring *ring;
	bool live;
	bool closed;
	u64 cq_head;
	unsigned int cancels;
	u32 sq;
	u32 cq;
	u32 setup_flags;
	u64 arena;
	u64 ops;
	u32 sqe_flags;
	u64 taken;
	u64 completed;
	bool honest;
	bool wild;
	struct entry entry[ENTRIES];
};

extern struct model models[MODELS];
extern unsigned int nr_models;
/* Ops of other modules have gone, or go. */
extern bool ops_gone;

struct model *model_new(void);
struct model *model_at(const struct wsq_ring *ring);
void models_clear(void);
u64 op_bit(u32 op);

/* Entries up to @head have been taken, in one go. */
void model_take(struct model *m, u64 head);
/* A CANCEL is about to begin, or has ended: what it may have called back. */
void model_cancels(struct model *m, const struct wsq_cancel *c);
/* It said that none of the first @taken ran: what had not begun never will. */
void model_called_back(struct model *m, const struct wsq_cancel *c, u64 taken);
/* All that can be said when nothing is under way any more. */
void model_check(const struct model *m);

/* What RING_STATS says of a ring that nothing happens to meanwhile. */
void model_stats(const struct model *m, const struct wsq_ring_stats *st);

/* A probe runs. */
s64 model_probe(const struct wsq_req *req, const struct wsq_op_task *task);

#endif /* _WSQ_FUZZ_MODEL_H */
