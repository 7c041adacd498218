/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lane: what one CPU owns of a queue. It begins with the container of the
 * queue's pool, which has the engine. The rest is what the pool does not know:
 * inboxes, the counters of flush, the learned item time, limits. An item goes
 * through an inbox if another CPU puts it, if the engine is full or has no
 * memory, or if the item is bound to this CPU.
 *
 * The roles (producer, consumer, thief) are those of pool/container.h.
 */
#ifndef _WSQ_EXEC_LANE_H
#define _WSQ_EXEC_LANE_H

#include <linux/cache.h>
#include <linux/stddef.h>

#include "../engine/engine.h"
#include "lane_inbox.h"
#include "location.h"

#define WSQ_FLUSH_COLORS		8

/* Where items wait in a lane: open inbox, bound inbox, engine. */
#define WSQ_STALL_LOCATIONS	3

/**
 * struct wsq_stall_mark - what the stall detector last saw of one of these
 * @look: number of the last look at it
 * @moves: items that had left it, modulo 2^32
 * @since: when @moves last changed, or the detector restarted, in jiffies,
 *	modulo 2^32
 * @waits: items were waiting
 * @reported: this wait was reported
 */
struct wsq_stall_mark {
	u32 look;
	u32 moves;
	u32 since;
	bool waits;
	bool reported;
};

/**
 * struct wsq_lane_count - items of one flush color that the own CPU counts
 * @put: items put through the engine. Producer; any CPU reads.
 * @done: items that this CPU's workers have run. Written by them with
 *	preemption off; any CPU reads.
 */
struct wsq_lane_count {
	u64 put;
	u64 done;
};

/**
 * struct wsq_lane - one CPU's part of a queue
 * @ct: the container. Its @tag has queue and CPU, as @where of struct wsq_link.
 * @entered: items taken from @open since the engine last got memory. Consumer.
 * @open_next: take from @open before @bound next. Consumer.
 * @give_back: the engine shall give its memory back. Set by maintenance work,
 *	cleared by the own CPU.
 * @item_ns: estimated ns an item takes, 0 if unknown. Time asleep counts, time
 *	preempted does not (learn.c). Written by this CPU's workers; puts here
 *	and thieves read.
 * @least_ns: recent minimum of the ns an item takes. This CPU's workers.
 * @timestamp_items: items of the sample being collected. This CPU's workers.
 * @debt_ns: ns that the queue was served here beyond its time slices while
 *	others waited, less what it has paid back. This CPU's workers.
 * @count: by flush color
 * @timestamp_ns: what the items of @timestamp_items took. This CPU's workers.
 * @used_ns: CPU time of the items in @count, in ns, as far as their workers
 *	have left the queue. This CPU's workers, preemption off; any CPU reads.
 * @away: items under way here whose worker was replaced. Any CPU.
 * @detached: of these, those that compute. Any CPU.
 * @open: inbox of items that any CPU may run. Any CPU.
 * @bound: inbox of items bound to this CPU. Any CPU.
 * @in_cnt: items put through an inbox, by flush color. Any CPU.
 * @far_cnt: items run by a worker that had lost its CPU by then, and cancelled
 *	ones, by flush color. Any CPU.
 * @far_ns: as @used_ns, of workers that were replaced or had lost their CPU.
 *	Any CPU.
 * @idle_cnt: items put, when maintenance work last looked.
 * @stall: for kmod/obs/stall.c only
 *
 * The members that the own CPU writes begin where the container ends, on the
 * same cache line. So are the counts of colors 0 and 1, and no other color is
 * used unless flushes overlap. So a put or a take touches no further line.
 */
struct wsq_lane {
	union {
		struct wsq_container ct;
		struct {
			/* private: the members of @ct */
			u8 of_ct[offsetofend(struct wsq_container, turns)];
			/* public: */
			u32 entered;
			bool open_next;
			bool give_back;
			u32 item_ns;
			u32 least_ns;
			u32 timestamp_items;
			u32 debt_ns;
			struct wsq_lane_count count[WSQ_FLUSH_COLORS];
			u64 timestamp_ns;
			u64 used_ns;
			atomic_t away;
			atomic_t detached;
		};
	};

	struct wsq_entry open ____cacheline_aligned;
	struct wsq_entry bound;
	atomic64_t in_cnt[WSQ_FLUSH_COLORS];
	atomic64_t far_cnt[WSQ_FLUSH_COLORS];
	atomic64_t far_ns;
	u64 idle_cnt;
	struct wsq_stall_mark stall[WSQ_STALL_LOCATIONS];
};

void wsq_lane_init(struct wsq_container *ct);
void wsq_lane_push(struct wsq_lane *lane, struct wsq_link *link,
		   unsigned int color, bool bound, bool count);
unsigned int wsq_lane_put_many(struct wsq_lane *lane,
			       struct wsq_link *const *links,
			       unsigned int nr, unsigned int color,
			       bool *published);
void *wsq_lane_claim_slow(struct wsq_lane *lane);
int wsq_lane_steal(struct wsq_lane *lane, struct wsq_lane *me, void **tasks,
		   unsigned int max, bool steal_active, bool bound);
bool wsq_lane_remove(struct wsq_lane *lane, struct wsq_link *link, u64 where);
bool wsq_lane_idle(struct wsq_lane *lane);
bool wsq_lane_waiting(const struct wsq_lane *lane);
bool wsq_lane_stealable(const struct wsq_lane *lane);

/* The lane that begins with container @ct of a queue's pool, or NULL. */
static inline struct wsq_lane *wsq_lane_of(struct wsq_container *ct)
{
	/* No test: @ct is the first member. */
	BUILD_BUG_ON(offsetof(struct wsq_lane, ct));
	return (struct wsq_lane *)ct;
}

/**
 * wsq_lane_put() - put an item, counted already, through the engine
 * @lane: lane of this CPU
 * @link: the item's link
 * @color: flush color of the item
 *
 * Context: any, on the lane's CPU with preemption off.
 * Return: %WSQ_OK, %WSQ_PUBLISHED or %WSQ_FULL; %WSQ_CONFLICT if the caller
 * interrupted a put.
 */
static inline int wsq_lane_put(struct wsq_lane *lane, struct wsq_link *link,
			       unsigned int color)
{
	int ret;

	if (!wsq_put_begin(&lane->ct))
		return WSQ_CONFLICT;
	ret = wsq_engine_put_link(&lane->ct, link,
				  wsq_location_in_slot(lane->ct.tag, color));
	wsq_put_end(&lane->ct);
	return ret;
}

/**
 * wsq_lane_claim() - take an item, in the order of the engine
 * @lane: lane of this CPU, or one that the caller has adopted
 *
 * Context: task, with preemption off.
 * Return: the item, owned; %NULL if there is none, or if the caller interrupted
 * a take; %WSQ_AGAIN if items are there that cannot be claimed yet.
 */
static inline void *wsq_lane_claim(struct wsq_lane *lane)
{
	void *task = NULL;

	if (!wsq_get_begin(&lane->ct))
		return NULL;
	if (likely(++lane->ct.turns < WSQ_INBOX_EVERY))
		task = wsq_engine_claim(&lane->ct);
	if (unlikely(!task))
		task = wsq_lane_claim_slow(lane);
	wsq_get_end(&lane->ct);
	return task;
}

#endif /* _WSQ_EXEC_LANE_H */
