// SPDX-License-Identifier: GPL-2.0
/*
 * Unbalanced tree search: see uts.h.
 */
#include <math.h>
#include <string.h>

#include "uts.h"

/* More children than this has only the root of a binomial tree. */
#define MAX_CHILDREN	100

const struct uts_tree uts_t1 = {
	.name = "T1", .kind = UTS_FIXED, .seed = 19, .root = 4, .depth = 10,
	.nodes = 4130071,
};

const struct uts_tree uts_t2 = {
	.name = "T2", .kind = UTS_CYCLIC, .seed = 502, .root = 6, .depth = 16,
	.nodes = 4117769,
};

const struct uts_tree uts_t3 = {
	.name = "T3", .kind = UTS_BINOMIAL, .seed = 42, .root = 2000,
	.prob = 0.124875, .many = 8, .nodes = 4112897,
};

const struct uts_tree uts_t1l = {
	.name = "T1L", .kind = UTS_FIXED, .seed = 29, .root = 4, .depth = 13,
	.nodes = 102181082,
};

const struct uts_tree uts_t2l = {
	.name = "T2L", .kind = UTS_CYCLIC, .seed = 220, .root = 7, .depth = 23,
	.nodes = 96793510,
};

const struct uts_tree uts_t3l = {
	.name = "T3L", .kind = UTS_BINOMIAL, .seed = 7, .root = 2000,
	.prob = 0.200014, .many = 5, .nodes = 111345631,
};

static inline uint32_t rol(uint32_t v, int by)
{
	return v << by | v >> (32 - by);
}

struct sha1 {
	uint32_t a, b, c, d, e;
};

static inline void sha1_round(struct sha1 *s, uint32_t add)
{
	uint32_t t = rol(s->a, 5) + add + s->e;

	s->e = s->d;
	s->d = s->c;
	s->c = rol(s->b, 30);
	s->b = s->a;
	s->a = t;
}

/*
 * SHA-1 of @nr words, each most significant byte first, that fit into one
 * block (FIPS 180-4, 6.1.2).
 */
static void sha1(const uint32_t *words, uint32_t nr, uint32_t state[5])
{
	uint32_t w[80] = { 0 }, i;
	struct sha1 s = {
		0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0
	};

	memcpy(w, words, nr * sizeof(*w));
	w[nr] = 0x80000000;
	w[15] = nr * 32;
	for (i = 16; i < 80; i++)
		w[i] = rol(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (i = 0; i < 20; i++)
		sha1_round(&s, ((s.b & s.c) | (~s.b & s.d)) + 0x5a827999 + w[i]);
	for (; i < 40; i++)
		sha1_round(&s, (s.b ^ s.c ^ s.d) + 0x6ed9eba1 + w[i]);
	for (; i < 60; i++)
		sha1_round(&s, ((s.b & s.c) | (s.b & s.d) | (s.c & s.d)) +
			       0x8f1bbcdc + w[i]);
	for (; i < 80; i++)
		sha1_round(&s, (s.b ^ s.c ^ s.d) + 0xca62c1d6 + w[i]);
	state[0] = s.a + 0x67452301;
	state[1] = s.b + 0xefcdab89;
	state[2] = s.c + 0x98badcfe;
	state[3] = s.d + 0x10325476;
	state[4] = s.e + 0xc3d2e1f0;
}

struct uts_node uts_root(const struct uts_tree *tree)
{
	uint32_t words[5] = { 0, 0, 0, 0, tree->seed };
	struct uts_node root = { .height = 0 };

	sha1(words, 5, root.state);
	return root;
}

struct uts_node uts_child(const struct uts_node *node, uint32_t nr)
{
	struct uts_node child = { .height = node->height + 1 };
	uint32_t words[6];

	memcpy(words, node->state, sizeof(node->state));
	words[5] = nr;
	sha1(words, 6, child.state);
	return child;
}

/* A node's random number, from 0 to below 1. */
static double uts_random(const struct uts_node *node)
{
	return (double)(node->state[4] & 0x7fffffff) / 2147483648.0;
}

uint32_t uts_children(const struct uts_tree *tree, const struct uts_node *node)
{
	double mean = tree->root, height = node->height, nr;

	if (tree->kind == UTS_BINOMIAL) {
		if (!node->height)
			return (uint32_t)tree->root;
		return uts_random(node) < tree->prob ? tree->many : 0;
	}
	if (tree->kind == UTS_FIXED) {
		if (node->height >= tree->depth)
			return 0;
	} else if (node->height > 5 * tree->depth) {
		return 0;
	} else if (node->height) {
		mean = pow(tree->root, sin(2.0 * 3.141592653589793 * height /
					   tree->depth));
	}
	/* Geometrically distributed, with that mean. */
	nr = floor(log(1 - uts_random(node)) / log(1 - 1.0 / (1.0 + mean)));
	return nr > MAX_CHILDREN ? MAX_CHILDREN : (uint32_t)nr;
}

uint64_t uts_count(const struct uts_tree *tree, const struct uts_node *node)
{
	uint32_t i, nr = uts_children(tree, node);
	uint64_t sum = 1;

	for (i = 0; i < nr; i++) {
		struct uts_node child = uts_child(node, i);

		sum += uts_count(tree, &child);
	}
	return sum;
}
