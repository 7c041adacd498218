/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of the test hostile: hostile_entries.c has entries and
 * their outcomes, hostile_calls.c calls, hostile_ring.c rings that get both,
 * and hostile.c the processes and threads.
 */
#ifndef WSQ_HOSTILE_H
#define WSQ_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>

#include "wsq_test.h"
/* After the ABI's own header. */
#include "wsq_rules.h"

/* Allowed results: errnos, and 0 if it may succeed. */
struct want {
	unsigned int nr;
	int err[12];
};

#define MASK_BITS	8192

/* Features of this machine and this module. */
extern struct world {
	struct wsq_query q;
	bool op[WSQ_OP_NR];
	uint64_t max_len[WSQ_OP_NR];
	bool cpu[MASK_BITS];
	bool node[MASK_BITS];
} world;

/* Lists are at the end of the arena, which no valid entry writes. */
#define LIST_SLOTS	4
#define LIST_SIZE	(WSQ_VEC_MAX + 1)
#define LIST_BYTES	(LIST_SIZE * sizeof(struct wsq_vec))
#define LISTS_BYTES	(LIST_SLOTS * LIST_BYTES)
#define BATCH		64

struct task {
	struct wsq_sqe sqe;
	uint64_t pushed_ns;
	uint64_t notified_ns;
	int64_t res;
	bool told;		/* its completion has come */
	bool first;		/* an ENTER began with it */
	bool cancelled;		/* may have been cancelled */
};

/* A ring, and its submissions since it was last empty. */
struct hring {
	struct ring r;
	unsigned int kind;
	bool polled;		/* takers and ends of chains are unknown */
	bool disabled;
	bool restricted;
	uint32_t ops;		/* of these, allowed ones by number */
	uint32_t sqe_flags;
	uint64_t synced;	/* the kernel has seen a cq_head this large */
	uint64_t taken;		/* entries; of polled ones as far as known */
	uint64_t failed;	/* completions, as in RING_STATS */
	uint64_t called_back;
	uint64_t id, stale_id;	/* of a task, and of one that has ended */
	bool *named;		/* futures that an entry has named, by number */

	uint64_t base;		/* submission number of tasks[0] */
	uint64_t salt;		/* user_data of task i is salt ^ i */
	uint64_t begun_ns;
	unsigned int steps;
	unsigned int nr;	/* tasks of this batch, */
	unsigned int pushed;	/* those that have an entry, */
	unsigned int told;	/* and those that have ended */
	bool lists_spoilt;	/* a task may write there */
	uint32_t most_cancelled;
	uint8_t lists[LISTS_BYTES];
	struct task tasks[BATCH];
};

/* Outcomes of a task that was not refused: these errors, or such a result. */
struct outcome {
	struct want err;
	int64_t least, most;
	bool done;		/* it may succeed */
};

/* One of a few. */
#define PICK(seed, ...) ({						\
	const uint64_t of_[] = { __VA_ARGS__ };				\
									\
	of_[rnd(seed) % ARRAY_SIZE(of_)];				\
})

#define PAGE	4096UL

/*
 * Addresses for structs: two pages, an unmapped one, a read-only one, an
 * unmapped one.
 */
#define ARGS_END	(2 * PAGE)
#define ARGS_RO		(3 * PAGE)
#define ARGS_RO_END	(4 * PAGE)
#define ARGS_BYTES	(5 * PAGE)

/* Buffer for STATS: a page for each CPU. */
#define SPACE_CPUS	256

/* A thread that makes calls. */
struct gen {
	uint64_t seed;
	bool loose;		/* rings are used by others, too: little is known */
	uint8_t *args;
	uint8_t *room;
	uint64_t entries;
	uint64_t calls;
	uint64_t failed;
	uint64_t submitted;	/* as ENTER returned */
	uint64_t slowest_ns;
};

/* A call whose argument is the address of a struct, and what may come of it. */
struct attempt {
	uint8_t *p;
	uint32_t bytes;		/* of the struct, */
	uint32_t there;		/* and how many are mapped */
	bool deaf;		/* nothing can be written there */
	struct want unread;	/* errors of its address and size, */
	struct want refuse;	/* and of its content; */
	struct want may;	/* if there are none of these; otherwise 0 */
};

/* A ring that each worker has. */
struct kind {
	const char *name;
	unsigned int flags, sq, cq, arena;
};

#define NR_KINDS	10

/* Kinds with a name; "shared" has the thread of "polled". */
enum { MASKED = 4, POLLED = 5, LARGE = 8, FUTURES = 9 };

/* hostile_entries.c */
bool want_has(const struct want *w, int err);
void want_add(struct want *w, int err);
void world_look(void);
int refusal(const struct hring *h, const struct wsq_sqe *e, bool linked);
void task_outcome(const struct hring *h, const struct task *t,
		  struct outcome *o);
bool spoils(const struct hring *h, const struct wsq_sqe *e);
void some_entry(struct hring *h, uint64_t *seed, struct wsq_sqe *e);
void some_lists(struct hring *h, uint64_t *seed, uint8_t *lists);

/* hostile_calls.c */
void gen_init(struct gen *g, uint64_t seed, bool loose);
int call(struct gen *g, int fd, unsigned int cmd, void *arg,
	 const struct want *want);
bool takes_effect(const struct attempt *a);
void attempt_place(struct gen *g, struct hring *h, void *s, uint32_t known,
		   uint32_t least, struct attempt *a);
void attempt_fill(struct gen *g, const void *s, uint32_t known,
		  struct attempt *a);
int attempt_call(struct gen *g, int fd, unsigned int cmd, struct attempt *a,
		 void *s, uint32_t known, bool answers);
void need_ring(const struct hring *h, struct attempt *a);
void call_query(struct gen *g, struct hring *h, int fd);
void call_stats(struct gen *g, struct hring *h, int fd);
void call_ring_stats(struct gen *g, struct hring *h, int fd);
const uint64_t *ids_of(const struct hring *h);
void call_cancel(struct gen *g, struct hring *h, int fd);
void call_restrict(struct gen *g, struct hring *h, int fd);
void call_enable(struct gen *g, struct hring *h, int fd);
bool call_setup(struct gen *g, struct hring *h, int fd, bool half,
		struct wsq_setup *s);
void call_unknown(struct gen *g, int fd);
void call_mmap(struct gen *g, struct hring *h, int fd);

/* hostile_ring.c */
extern const struct kind kinds[NR_KINDS];
void hring_open(struct hring *h, unsigned int kind, const struct hring *polled);
uint64_t hring_taken(struct hring *h);
void call_enter(struct gen *g, struct hring *h, int fd, bool bend);
void call_any(struct gen *g, struct hring *h);
void step(struct gen *g, struct hring *h);

#endif /* WSQ_HOSTILE_H */
