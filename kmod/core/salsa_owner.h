/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A chunk's owner word: which consumer may take from the chunk, and from where
 * on.
 *
 * It is one word, so that one compare-and-exchange changes all of it. Every
 * change has a tag of its own: a change that expects an old word fails.
 *
 *	bits	 0-1	state
 *		 2	tasks are claimed one by one in their slots
 *		 3-5	epoch: which of the chunk's index words counts
 *		 6-18	index of the next task, as of the change; the index
 *			words say what was taken since
 *		19-31	id of the consumer
 *		32-63	tag, one more with every change
 *
 * States, and what changes them:
 *
 *	FREE	 no consumer's, though list entries may still name it. The
 *		 producer that got it from a chunk pool fills it in and makes it
 *		 LEFT, with index 0.
 *	LEFT	 a consumer's, which is not in it. Index 0: the paper's fresh
 *		 chunk. Its consumer enters it; a thief takes it over and is in
 *		 it by the same change.
 *	ENTERED	 the consumer is in it, and alone writes the index word of the
 *		 epoch, except that consumers that claim share the last one. The
 *		 consumer leaves, or finishes (FREE); a thief takes it over.
 *	STOLEN	 a thief has taken it from the consumer that is in it and does
 *		 not know yet where to begin. The thief enters or leaves it when
 *		 it knows. Before that another thief may take it over, or the
 *		 consumer may enter it again.
 *
 * Between two changes a chunk is one consumer's. 32 bits of tag last 40 seconds
 * at a change every 10 ns. Only a CPU that slept with preemption off for
 * exactly that long could be misled. Two words outlast sections: the one by
 * which a consumer is in its chunk, because no other makes an ENTERED word with
 * its id; and the one with which a thief waits for a fence, because no other
 * makes a STOLEN word with its id (struct wsq_salsa_async_steal).
 */
#ifndef _WSQ_CORE_SALSA_OWNER_H
#define _WSQ_CORE_SALSA_OWNER_H

#include <wsq_platform.h>

#ifndef WSQ_SALSA_TAG_BITS
#define WSQ_SALSA_TAG_BITS	32
#endif

#ifndef WSQ_SALSA_EPOCHS
#define WSQ_SALSA_EPOCHS	8
#endif
#define WSQ_SALSA_MAX_CONSUMERS	8192
#define WSQ_SALSA_MAX_SIZE	4096

enum wsq_salsa_state {
	WSQ_SALSA_FREE,
	WSQ_SALSA_LEFT,
	WSQ_SALSA_ENTERED,
	WSQ_SALSA_STOLEN,
};

#define WSQ_SALSA_CLAIMS	0x4ULL
#define WSQ_SALSA_EPOCH_SHIFT	3
#define WSQ_SALSA_EPOCH_ONE	0x8ULL
#define WSQ_SALSA_INDEX_SHIFT	6
#define WSQ_SALSA_INDEX_MASK	((1ULL << 13) - 1)
#define WSQ_SALSA_ID_SHIFT	19
#define WSQ_SALSA_ID_MASK	((1ULL << 13) - 1)
#define WSQ_SALSA_TAG_SHIFT	32
#define WSQ_SALSA_TAG_MASK	\
	(((1ULL << WSQ_SALSA_TAG_BITS) - 1) << WSQ_SALSA_TAG_SHIFT)

static inline u32 wsq_salsa_state(u64 word)
{
	return word & 3;
}

static inline u32 wsq_salsa_epoch(u64 word)
{
	return (word >> WSQ_SALSA_EPOCH_SHIFT) & (WSQ_SALSA_EPOCHS - 1);
}

static inline u64 wsq_salsa_index(u64 word)
{
	return (word >> WSQ_SALSA_INDEX_SHIFT) & WSQ_SALSA_INDEX_MASK;
}

static inline u32 wsq_salsa_id(u64 word)
{
	return (word >> WSQ_SALSA_ID_SHIFT) & WSQ_SALSA_ID_MASK;
}

/* The word that follows @word: the next tag, same epoch and way of taking. */
static inline u64 wsq_salsa_next_word(u64 word, u32 state, u32 id, u64 index)
{
	u64 tag = (word + (1ULL << WSQ_SALSA_TAG_SHIFT)) & WSQ_SALSA_TAG_MASK;
	u64 how = word & (WSQ_SALSA_CLAIMS |
			  ((WSQ_SALSA_EPOCHS - 1) << WSQ_SALSA_EPOCH_SHIFT));

	return tag | (u64)id << WSQ_SALSA_ID_SHIFT |
	       index << WSQ_SALSA_INDEX_SHIFT | how | state;
}

/* A word of the next epoch; the last one has no next. */
static inline u64 wsq_salsa_next_epoch(u64 word)
{
	if (wsq_salsa_epoch(word) == WSQ_SALSA_EPOCHS - 1)
		return word;
	return word + WSQ_SALSA_EPOCH_ONE;
}

#endif /* _WSQ_CORE_SALSA_OWNER_H */
