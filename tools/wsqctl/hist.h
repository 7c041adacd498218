/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A histogram of nanoseconds in buckets that grow with the value.
 *
 * Values below 64 have a bucket each; above, every power of two is cut into 32:
 * a quantile read back is the middle of its bucket, off by at most 1/64 of
 * the value (1.6 %), and the largest value is exact. 15 KiB, any 64-bit value,
 * one addition to put one in. One writer; readers see counts grow.
 */
#ifndef WSQCTL_HIST_H
#define WSQCTL_HIST_H

#include <stdint.h>

#define HIST_SUB	32
#define HIST_BUCKETS	(HIST_SUB * 60)

struct hist {
	uint64_t max;
	uint64_t bucket[HIST_BUCKETS];
};

static inline unsigned int hist_index(uint64_t v)
{
	unsigned int shift;

	if (v < 2 * HIST_SUB)
		return (unsigned int)v;
	shift = 63 - __builtin_clzll(v) - 5;
	return shift * HIST_SUB + (unsigned int)(v >> shift);
}

/* The middle of bucket @i. */
static inline uint64_t hist_value(unsigned int i)
{
	unsigned int shift;

	if (i < 2 * HIST_SUB)
		return i;
	shift = i / HIST_SUB - 1;
	return ((uint64_t)(HIST_SUB + i % HIST_SUB) << shift) +
	       ((1ULL << shift) >> 1);
}

static inline void hist_put(struct hist *h, uint64_t v)
{
	h->bucket[hist_index(v)]++;
	if (v > h->max)
		h->max = v;
}

static inline void hist_add(struct hist *to, const struct hist *from)
{
	unsigned int i;

	for (i = 0; i < HIST_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
	if (from->max > to->max)
		to->max = from->max;
}

/* The value that @per_mille of all do not exceed; 0 if there are none. */
static inline uint64_t hist_quantile(const struct hist *h,
				     unsigned int per_mille)
{
	uint64_t n = 0, seen = 0, rank;
	unsigned int i;

	for (i = 0; i < HIST_BUCKETS; i++)
		n += h->bucket[i];
	rank = (n * per_mille + 999) / 1000;
	for (i = 0; i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (h->bucket[i] && seen >= rank)
			return hist_value(i) < h->max ? hist_value(i) : h->max;
	}
	return 0;
}

#endif /* WSQCTL_HIST_H */
