/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of a ring in the fuzzer of rings, by observation: what was taken,
 * and how it ended.
 */
#ifndef _WSQ_FUZZ_MODEL_H
#define _WSQ_FUZZ_MODEL_H

#include "oracle.h"

#include <ring/dev.h>
#include <ring/ops.h>
#include <ring/ring.h>
#include <ring/state.h>
#include <ring/wait.h>

#define MODELS		4
#define ENTRIES		1024	/* most submissions of a ring */

/**
 * struct entry - a submission
 * @sqe: the entry, as it was when it was taken
 * @taken: the taking was observed; the members below may be set before
 * @error: error that refuses it, or 0
 * @linked: the one before it has to succeed
 * @head: first of its chain
 * @unit_end: of a head, the number behind its chain
 * @done: it has completed
 * @place: position among the completions
 * @res: its result
 * @begun: when its probe began, 0 if it did not
 * @ended: when that ended
 * @called_back: cancelled by a CANCEL that said that it will not run
 * @must_cancel: ... by its id
 * @may_cancel: cancelled, or its ring closed, before it had completed
 * @id: as the ring returned it
 * @nth: it was the so-manieth to complete
 * @after: entries that resolve what it waits for, each by its number + 1
 * @before: the one that resolved its own future before it, likewise
 * @vague: one of @after is not known
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
	u64 nth;
	u64 after[3];
	u64 before;
	bool vague;
};

/**
 * struct model - a ring
 * @ring: its address, while it exists
 * @live: SETUP has succeeded
 * @closed: its file is closed, or about to be
 * @cq_head: value that the kernel has accepted
 * @cancels: calls of CANCEL in progress
 * @sq: submission entries
 * @cq: completion entries
 * @setup_flags: of SETUP, those that entries depend on
 * @arena: bytes
 * @ops: bits of allowed ops below 64; from 56 on, the harness's own
 * @sqe_flags: allowed WSQ_SQE_*
 * @taken: submissions
 * @completed: completions
 * @at_lock: @completed when its lock was taken last
 * @future: by the number of a future, the last entry that was to resolve it, by
 *	its number + 1
 * @unsure: ... or that one was refused, or a later one: not known
 * @honest: of a polled ring: after storing a cursor, the process checks whether
 *	the poller sleeps
 * @wild: entries were written while they were taken, so they are unknown
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
	u64 at_lock;
	u64 future[ENTRIES];
	bool unsure[ENTRIES];
	bool honest;
	bool wild;
	struct entry entry[ENTRIES];
};

extern struct model models[MODELS];
extern unsigned int nr_models;
/* Ops of other modules have been unregistered, or are being so. */
extern bool ops_gone;

struct model *model_new(void);
struct model *model_at(const struct wsq_ring *ring);
void models_clear(void);
u64 op_bit(u32 op);

/* How many of @want entries are taken: whole chains if there is no @room for all. */
u64 model_whole(const struct model *m, u64 want, u64 room);
/* Entries up to @head have been taken, all at once. */
void model_take(struct model *m, u64 head);
/* A CANCEL is about to begin, or has ended: what it may have cancelled. */
void model_cancels(struct model *m, const struct wsq_cancel *c);
/* It said that none of the first @taken ran: those not begun never will. */
void model_called_back(struct model *m, const struct wsq_cancel *c, u64 taken);
/* All checks that need a ring with nothing in progress. */
void model_check(const struct model *m);

/* No poller sleeps while there is something that it can take. */
void model_polled(const struct model *m);

/* Checks RING_STATS of an idle ring. */
void model_stats(const struct model *m, const struct wsq_ring_stats *st);

/* A probe runs. */
s64 model_probe(const struct wsq_req *req, const struct wsq_op_task *task);

#endif /* _WSQ_FUZZ_MODEL_H */
