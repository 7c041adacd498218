/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ops: what user tasks do. Independent of rings, for tests.
 *
 * ops.c	table of ops, checks that are the same for all
 * ops_range.c	checks of entries, lists of ranges, pieces
 * cont.c	tasks that have begun and left their worker
 * ops_data.c	built-in ops that copy, fill and compare bytes
 * ops_hash.c	built-in ops for checksums and hashes
 * ops_algo.c	built-in ops that idle CPUs take part in
 */
#ifndef _WSQ_RING_OPS_H
#define _WSQ_RING_OPS_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/nospec.h>
#include <linux/percpu-refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wsq_op.h>

#include "../compat/attributes.h"

struct wsq;
struct mem_cgroup;
struct wsq_fj;
struct wsq_op_reg;

/* The largest length of a built-in op, in bytes. */
#define WSQ_OP_MAX_LEN		0x1000000

/**
 * struct wsq_op_cont - a task that has begun and left its worker, or counts so
 * @free: in struct wsq_conts.free
 * @wait_ns: how long the task had waited when it began. The ring's
 * @task: argument of the op; its @ranges and @state are those below
 * @ranges: the ranges
 * @state: the op's state
 *
 * Owned by one task, from when it first leaves its worker, or begins with an op
 * that allocates, until it ends.
 */
struct wsq_op_cont {
	struct list_head free;
	u64 wait_ns;
	struct wsq_op_task task;
	struct wsq_range ranges[WSQ_VEC_MAX];
	u64 state[WSQ_OP_STATE_MAX / sizeof(u64)];
};

/**
 * struct wsq_conts - memory for tasks that leave their workers
 * @all: the array; %NULL until it is allocated. Constant from then on
 * @lock: for what follows
 * @free: unused structs for tasks of built-in ops
 * @free_registered: likewise, for tasks of ops of other modules
 * @held: how many tasks of built-in ops have one. Read as a hint, too
 * @limit: no long task of a built-in op begins while @held is not below this.
 *	Constant like @all
 * @waiting: struct wsq_req.held of requests that do not begin for that reason
 */
struct wsq_conts {
	struct wsq_op_cont *all;
	spinlock_t lock;	/* all below */
	struct list_head free;
	struct list_head free_registered;
	unsigned int held;
	unsigned int limit;
	struct list_head waiting;
};

/**
 * struct wsq_op_fj - how tasks of a user fork and join
 * @q: the user's queue. Constant
 * @fj: object of all its CPUs; %NULL until the first task needs it. The task
 *	that has set @busy
 * @busy: bit 0: a task uses @fj
 */
struct wsq_op_fj {
	struct wsq *q;
	struct wsq_fj *fj;
	unsigned long busy;
};

/**
 * struct wsq_stop - when a task must end early, or leave its worker
 * @dead: its ring is closed: no process will read the result
 * @stop_asked: it is cancelled
 * @deadline: CLOCK_MONOTONIC time in ns after which the result is useless;
 *	U64_MAX for none
 * @conts: memory for leaving; %NULL if the task must not leave
 * @fj: how it forks and joins
 * @memcg: memory cgroup that it allocates for, or %NULL
 */
struct wsq_stop {
	const bool *dead;
	const bool *stop_asked;
	u64 deadline;
	struct wsq_conts *conts;
	struct wsq_op_fj *fj;
	struct mem_cgroup *memcg;
};

/**
 * struct wsq_op_ref - an op in use
 * @def: the op
 * @reg: holds the reference; %NULL for a built-in op
 */
struct wsq_op_ref {
	const struct wsq_op_def *def;
	struct wsq_op_reg *reg;
};

/* ops.c */
int wsq_ops_init(void);
void wsq_ops_exit(void);
extern const struct wsq_op_def *wsq_op_table[WSQ_OP_NR];
extern u32 wsq_op_next;
bool wsq_reg_get(struct wsq_op_ref *ref, unsigned int op);
void wsq_reg_put(struct wsq_op_ref *ref);
bool wsq_op_going(unsigned int op);
bool wsq_op_query(u32 op, struct wsq_op_info *info);
int wsq_op_prep_any(const struct wsq_op_def *def, const struct wsq_sqe *sqe,
		    u64 arena_bytes);
unsigned int wsq_ops_forget(const struct module *owner);

/* ops_range.c */
bool wsq_def_right(const struct wsq_op_def *def);
int wsq_shape_prep(const struct wsq_op_def *def, const struct wsq_sqe *sqe,
		   u64 arena_bytes);
s64 wsq_shape_issue(const struct wsq_op_def *def, const struct wsq_sqe *sqe,
		    void *arena, u64 arena_bytes, const struct wsq_stop *stop,
		    struct wsq_op_cont **cont);
bool wsq_sqe_long(const struct wsq_sqe *sqe, const void *arena);
s64 wsq_op_resume(const struct wsq_sqe *sqe, const struct wsq_stop *stop,
		  struct wsq_op_cont *cont);

/* cont.c */
u64 wsq_conts_bytes(void);
void wsq_conts_init(struct wsq_conts *conts);
int wsq_conts_make(struct wsq_conts *conts);
void wsq_conts_exit(struct wsq_conts *conts);
struct wsq_op_cont *wsq_cont_get(struct wsq_conts *conts, unsigned int op);

/* ops_data.c */
extern const struct wsq_op_def wsq_op_nop;
extern const struct wsq_op_def wsq_op_copy;
extern const struct wsq_op_def wsq_op_fill;
extern const struct wsq_op_def wsq_op_compare;
extern const struct wsq_op_def wsq_op_xor;

/* ops_hash.c */
extern const struct wsq_op_def wsq_op_crc32c;
extern const struct wsq_op_def wsq_op_xxhash64;
extern const struct wsq_op_def wsq_op_sha256;
extern const struct wsq_op_def wsq_op_sha512;
int wsq_hashes_init(void);
void wsq_hashes_exit(void);
bool wsq_hash_there(const struct wsq_op_def *def);

/* ops_algo.c */
extern const struct wsq_op_def wsq_op_fsverity;
extern const struct wsq_op_def wsq_op_sort64;
extern const struct wsq_op_def wsq_op_gzip;
bool wsq_algo_op_there(const struct wsq_op_def *def);
void wsq_op_fj_exit(struct wsq_op_fj *of);

/* The path of each entry. Inline: a nop in a batch takes some 15 % less. */

/**
 * wsq_op_get() - take a reference on an op
 * @ref: filled in if there is one
 * @op: its number, any value
 *
 * Context: any; the op's module waits until wsq_op_put().
 * Return: false if there is none, or this kernel does not support it.
 */
static inline bool wsq_op_get(struct wsq_op_ref *ref, unsigned int op)
{
	if (unlikely(op >= WSQ_OP_NR))
		return wsq_reg_get(ref, op);
	ref->def = wsq_op_table[array_index_nospec(op, WSQ_OP_NR)];
	ref->reg = NULL;
	return ref->def;
}

/**
 * wsq_op_put() - drop a reference on an op
 * @ref: of wsq_op_get()
 *
 * Context: any.
 */
static inline void wsq_op_put(struct wsq_op_ref *ref)
{
	if (unlikely(ref->reg))
		wsq_reg_put(ref);
}

/**
 * wsq_op_prep() - check an entry; must precede wsq_op_issue()
 * @def: its op
 * @sqe: the kernel's own copy of the entry
 * @arena_bytes: size of its ring's arena
 *
 * Context: task; the caller has a reference on the op.
 * Return: 0, then wsq_op_issue() may follow; or -errno as in the user ABI.
 */
static inline int wsq_op_prep(const struct wsq_op_def *def,
			      const struct wsq_sqe *sqe, u64 arena_bytes)
{
	/* Fast path: an entry with nothing but its op, which takes nothing. */
	if (!(sqe->flags | sqe->hint | sqe->key | sqe->deadline | sqe->src |
	      sqe->dst | sqe->len | sqe->arg) &&
	    !def->shape && !def->dst_len && !def->prep)
		return 0;
	return wsq_op_prep_any(def, sqe, arena_bytes);
}

/**
 * wsq_stopped() - must a task end early
 * @stop: the reasons
 *
 * Context: any.
 * Return: 0; %-ECANCELED; %-ETIME.
 */
static inline int wsq_stopped(const struct wsq_stop *stop)
{
	if (READ_ONCE(*stop->dead) || READ_ONCE(*stop->stop_asked))
		return -ECANCELED;
	if (stop->deadline != U64_MAX &&
	    ktime_get_mono_fast_ns() > stop->deadline)
		return -ETIME;
	return 0;
}

/**
 * wsq_op_issue() - do what an entry asks for
 * @sqe: an entry that has passed wsq_op_prep()
 * @arena: the ring's arena
 * @arena_bytes: its size
 * @stop: when to end early, or to leave the worker
 * @cont: used if @stop has @conts: %NULL, or the struct to leave to; filled in
 *	when the task leaves
 *
 * Context: task; may sleep. With @conts in @stop, an item's function.
 * Return: the result, not negative, or -errno; %-EOPNOTSUPP if the op is gone;
 * %WSQ_OP_AGAIN if the task has left: then wsq_op_resume() of @cont may follow.
 */
static inline s64 wsq_op_issue(const struct wsq_sqe *sqe, void *arena,
			       u64 arena_bytes, const struct wsq_stop *stop,
			       struct wsq_op_cont **cont)
{
	struct wsq_op_ref op __uninitialized;
	s64 res;

	if (unlikely(!wsq_op_get(&op, sqe->op)))
		return -EOPNOTSUPP;
	res = wsq_shape_issue(op.def, sqe, arena, arena_bytes, stop, cont);
	wsq_op_put(&op);
	return res;
}

#endif /* _WSQ_RING_OPS_H */
