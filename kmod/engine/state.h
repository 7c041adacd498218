/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-container state of the engines, outside their memory.
 */
#ifndef _WSQ_ENGINE_STATE_H
#define _WSQ_ENGINE_STATE_H

#include <linux/cache.h>

#include "../core/bwos_fifo.h"
#include "../core/bwos_lifo.h"
#include "engines.def"

/**
 * struct wsq_lifo - LIFO BWoS as an engine
 * @q: the queue
 * @hungry: a thief found nothing, though the owner has tasks. Thieves set, the
 *	owner clears
 */
struct wsq_lifo {
	struct wsq_bwos_lifo q;
	u8 hungry ____cacheline_aligned;
};

#define WSQ_ENGINE_STATE(type, name, state, ...) state

/* @kind of struct wsq_container says which member is valid. */
union wsq_engine_state {
	WSQ_ALL_ENGINES(WSQ_ENGINE_STATE)
};

#endif /* _WSQ_ENGINE_STATE_H */
