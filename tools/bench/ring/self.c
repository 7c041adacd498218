// SPDX-License-Identifier: GPL-2.0
/*
 * The process itself: no kernel, no other thread. Also the reference for the
 * results of all other engines.
 *
 * Limitation: SHA-256 is plain C here, as it is in the kernel of user-mode
 * Linux; a library that uses the processor's instructions is several times as
 * fast. For CRC-32C there are both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

uint8_t input[INPUT_LEN];

static uint32_t want_crc[INPUT_LEN / CRC_LEN];
static uint8_t want_digest[INPUT_LEN / SHA_LEN][DIGEST_LEN];

#define CRC32C_POLY	0x82f63b78U

static uint32_t crc_table[8][256];

static void crc_init(void)
{
	unsigned int i, k;

	for (i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? CRC32C_POLY : 0);
		crc_table[0][i] = crc;
	}
	for (i = 0; i < 256; i++)
		for (k = 1; k < 8; k++)
			crc_table[k][i] = crc_table[k - 1][i] >> 8 ^
					  crc_table[0][crc_table[k - 1][i] & 255];
}

/* Eight bytes a step. */
static uint32_t crc32c_plain(const uint8_t *p, size_t len)
{
	uint32_t crc = ~0U;

	for (; len >= 8; len -= 8, p += 8) {
		crc = crc_table[7][(crc ^ p[0]) & 255] ^
		      crc_table[6][(crc >> 8 ^ p[1]) & 255] ^
		      crc_table[5][(crc >> 16 ^ p[2]) & 255] ^
		      crc_table[4][crc >> 24 ^ p[3]] ^
		      crc_table[3][p[4]] ^ crc_table[2][p[5]] ^
		      crc_table[1][p[6]] ^ crc_table[0][p[7]];
	}
	while (len--)
		crc = crc >> 8 ^ crc_table[0][(crc ^ *p++) & 255];
	return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2")))
static uint32_t crc32c_fast(const uint8_t *p, size_t len)
{
	uint64_t crc = ~0U;

	for (; len >= 8; len -= 8, p += 8) {
		uint64_t word;

		memcpy(&word, p, 8);
		crc = __builtin_ia32_crc32di(crc, word);
	}
	while (len--)
		crc = __builtin_ia32_crc32qi((uint32_t)crc, *p++);
	return ~(uint32_t)crc;
}

static bool crc_has_fast(void)
{
	return __builtin_cpu_supports("sse4.2");
}
#else
static uint32_t crc32c_fast(const uint8_t *p, size_t len)
{
	return crc32c_plain(p, len);
}

static bool crc_has_fast(void)
{
	return false;
}
#endif

/* The first 32 bits of the fractional parts of the cube roots of primes. */
static uint32_t sha_k[64];
/* ... and of the square roots. */
static uint32_t sha_h[8];

/* Whether @root to the @power is at most n shifted left by 32 * power bits. */
static bool root_fits(uint64_t root, unsigned int power, unsigned int n)
{
	unsigned __int128 r = root, square = r * r;

	if (power == 2)
		return square <= (unsigned __int128)n << 64;
	/* root is below 7 * 2^32: its cube, shifted right by 32 here, fits. */
	return (square >> 32) * r + ((square & 0xffffffff) * r >> 32) <
	       (unsigned __int128)n << 64;
}

static uint32_t root_fraction(unsigned int power, unsigned int n)
{
	uint64_t root = 0, bit;

	for (bit = 1ULL << 37; bit; bit >>= 1)
		if (root_fits(root | bit, power, n))
			root |= bit;
	return (uint32_t)root;
}

static void sha_init(void)
{
	unsigned int n, d, nr = 0;

	for (n = 2; nr < 64; n++) {
		for (d = 2; d * d <= n && n % d; d++)
			;
		if (d * d <= n)
			continue;
		if (nr < 8)
			sha_h[nr] = root_fraction(2, n);
		sha_k[nr++] = root_fraction(3, n);
	}
}

static inline uint32_t ror(uint32_t x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

/* One round; the registers change roles from round to round. */
static inline void sha_round(uint32_t a, uint32_t b, uint32_t c, uint32_t *d,
			     uint32_t e, uint32_t f, uint32_t g, uint32_t *h,
			     uint32_t kw)
{
	uint32_t t = *h + kw + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) +
		     ((e & f) ^ (~e & g));

	*d += t;
	*h = t + (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) +
	     ((a & b) ^ (a & c) ^ (b & c));
}

static void sha_block(uint32_t *h, const uint8_t *p)
{
	uint32_t w[64], s[8];
	unsigned int i, k;

	for (i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
	for (; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(s, h, sizeof(s));
	for (i = 0; i < 64; i += 8) {
#pragma GCC unroll 8
		for (k = 0; k < 8; k++)
			sha_round(s[(8 - k) % 8], s[(9 - k) % 8],
				  s[(10 - k) % 8], &s[(11 - k) % 8],
				  s[(12 - k) % 8], s[(13 - k) % 8],
				  s[(14 - k) % 8], &s[(15 - k) % 8],
				  sha_k[i + k] + w[i + k]);
	}
	for (i = 0; i < 8; i++)
		h[i] += s[i];
}

static void sha256(const uint8_t *p, size_t len, uint8_t *digest)
{
	uint64_t bits = 8 * (uint64_t)len;
	uint8_t last[128] = {};
	size_t tail = len % 64, pad = tail < 56 ? 64 : 128, i;
	uint32_t h[8];

	memcpy(h, sha_h, sizeof(h));
	for (i = 0; i + 64 <= len; i += 64)
		sha_block(h, p + i);
	memcpy(last, p + i, tail);
	last[tail] = 0x80;
	for (i = 0; i < 8; i++)
		last[pad - 1 - i] = (uint8_t)(bits >> 8 * i);
	for (i = 0; i < pad; i += 64)
		sha_block(h, last + i);
	for (i = 0; i < 32; i++)
		digest[i] = (uint8_t)(h[i / 4] >> (24 - i % 4 * 8));
}

static void wrong(const char *who, const char *what, unsigned int i)
{
	fprintf(stderr, "ringbench: %s: wrong %s of task %u\n", who, what, i);
	exit(1);
}

/* Ends the process if a result is wrong. */
void check_crc(const char *who, unsigned int i, int64_t crc)
{
	if (crc != want_crc[input_off(TASK_CRC32C, i) / CRC_LEN])
		wrong(who, "crc32c", i);
}

void check_digest(const char *who, unsigned int i, const void *digest)
{
	if (memcmp(digest, want_digest[input_off(TASK_SHA256, i) / SHA_LEN],
		   DIGEST_LEN))
		wrong(who, "sha256", i);
}

/* Called first: checks known answers, computes those for the input. */
void self_init(void)
{
	static const uint8_t abc[DIGEST_LEN] = {
		0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
		0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
		0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
		0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
	};
	const uint8_t *digits = (const uint8_t *)"123456789";
	uint8_t digest[DIGEST_LEN];
	uint64_t x = 88172645463325252ULL;
	size_t i;

	crc_init();
	sha_init();
	if (crc32c_plain(digits, 9) != 0xe3069283 ||
	    (crc_has_fast() && crc32c_fast(digits, 9) != 0xe3069283))
		wrong("process", "crc32c", 0);
	sha256((const uint8_t *)"abc", 3, digest);
	if (memcmp(digest, abc, sizeof(abc)))
		wrong("process", "sha256", 0);

	for (i = 0; i < INPUT_LEN; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		input[i] = (uint8_t)x;
	}
	for (i = 0; i < INPUT_LEN / CRC_LEN; i++)
		want_crc[i] = crc32c_plain(input + i * CRC_LEN, CRC_LEN);
	for (i = 0; i < INPUT_LEN / SHA_LEN; i++)
		sha256(input + i * SHA_LEN, SHA_LEN, want_digest[i]);
}

/* A call that the compiler cannot inline, as an entry's would be. */
static int64_t nop(unsigned int i)
{
	(void)i;
	return 0;
}

static int64_t (*volatile nop_func)(unsigned int i) = nop;

typedef uint32_t crc_func(const uint8_t *p, size_t len);

static void *self_open(const struct engine *engine, const char **why)
{
	if (engine == &self_engine)
		return (void *)(crc_has_fast() ? crc32c_fast : crc32c_plain);
	if (crc_has_fast())
		return (void *)crc32c_plain;
	*why = "the processor has no instruction for it: as process";
	return NULL;
}

static void self_batch(void *state, enum task task, unsigned int nr)
{
	crc_func *crc = (crc_func *)state;
	uint8_t digest[DIGEST_LEN];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const uint8_t *in = input + input_off(task, i);

		switch (task) {
		case TASK_CRC32C:
			check_crc("process", i, crc(in, CRC_LEN));
			break;
		case TASK_SHA256:
			sha256(in, SHA_LEN, digest);
			check_digest("process", i, digest);
			break;
		default:
			if (nop_func(i))
				wrong("process", "nop", i);
		}
	}
}

const struct engine self_engine = {
	.name = "process",
	.tasks = 1 << TASK_NOP | 1 << TASK_CRC32C | 1 << TASK_SHA256,
	.open = self_open,
	.batch = self_batch,
};

const struct engine self_plain_engine = {
	.name = "process, table",
	.tasks = 1 << TASK_CRC32C,
	.open = self_open,
	.batch = self_batch,
};
