// SPDX-License-Identifier: GPL-2.0
/*
 * wsqctl bench: how many tasks a second go through a ring on this machine.
 *
 * Shows what a batch, polling or an op is worth here. One thread fills a batch
 * of entries, submits it, waits for all of it, and repeats that for some
 * milliseconds: one round. Rounds of all configurations alternate, so that a
 * machine that slows down affects all of them. The report has the median and
 * the spread. Cost: one or two rings, each with an arena of some MiB; one CPU
 * for the whole time, and another one for polling. Limitations: one batch in
 * flight at a time; other load on the machine is measured, too.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "wsqctl.h"

#define MAX_BATCH	1024
#define MAX_BATCHES	16
#define MAX_OPS		32
#define MAX_ROUNDS	1000
#define SPINS		20000
#define NS		1000000000ULL

enum { OPT_LEN = 256, OPT_STALL };
enum { PLAIN, POLLED, NR_MODES };

static const char *const mode_names[NR_MODES] = { "plain", "polled" };

/**
 * struct config - one line of the report
 * @op: the tasks' op
 * @batch: tasks submitted together
 * @mode: PLAIN or POLLED
 * @rate: tasks a second, of each round; malloc
 */
struct config {
	const struct wsq_op_info *op;
	unsigned int batch;
	unsigned int mode;
	double *rate;
};

/**
 * struct bench - options and state
 * @ops: names asked for; NULL means all
 * @batches: sizes of batches
 * @nr_batches: number of @batches
 * @modes: a bit for each
 * @len: bytes of a task's range
 * @rounds: of each line
 * @ms: milliseconds of a round
 * @stall: seconds that a wait may take
 * @json: print JSON
 * @ring: of each mode; used if its bit is set
 * @configs: the lines
 * @nr: number of @configs
 * @largest: of @batches
 * @notes: what was left out, and why
 */
struct bench {
	char *ops;
	unsigned int batches[MAX_BATCHES];
	unsigned int nr_batches;
	unsigned int modes;
	uint64_t len;
	unsigned int rounds;
	unsigned int ms;
	unsigned int stall;
	bool json;
	struct wsq_ring ring[NR_MODES];
	struct config configs[MAX_OPS * MAX_BATCHES * NR_MODES];
	unsigned int nr;
	unsigned int largest;
	struct json_object *notes;
};

static const struct argp_option options[] = {
	{ "ops", 'o', "LIST", 0, "Names of ops, with commas between (default: "
	  "all built-in ones)", 0 },
	{ "batch", 'b', "LIST", 0, "Tasks that go together (default "
	  "1,8,64,512)", 0 },
	{ "mode", 'm', "MODE", 0, "plain, poll, or both, the default", 0 },
	{ "len", OPT_LEN, "BYTES", 0, "Range of a task (default 4096)", 0 },
	{ "rounds", 'r', "N", 0, "Rounds of each (default 5)", 1 },
	{ "time", 't', "MS", 0, "Milliseconds of a round (default 20)", 1 },
	{ "stall", OPT_STALL, "SECONDS", 0, "Give up when a batch takes so long "
	  "(default 60)", 1 },
	{ "json", 'j', NULL, 0, "Print JSON", 2 },
	{ 0 }
};

static uint64_t number(struct argp_state *state, const char *arg,
		       const char *what, uint64_t min, uint64_t max)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(arg, &end, 10);
	if (end == arg || *end || errno || *arg == '-' || v < min || v > max)
		argp_error(state, "%s: '%s' is no number from %" PRIu64
			   " to %" PRIu64, what, arg, min, max);
	return v;
}

static void parse_batches(struct bench *b, char *arg, struct argp_state *state)
{
	char *word, *rest = arg;

	b->nr_batches = 0;
	while ((word = strsep(&rest, ","))) {
		if (b->nr_batches == MAX_BATCHES)
			argp_error(state, "batch: more than %u", MAX_BATCHES);
		b->batches[b->nr_batches++] =
			(unsigned int)number(state, word, "batch", 1, MAX_BATCH);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bench *b = state->input;

	switch (key) {
	case 'o':
		b->ops = arg;
		return 0;
	case 'b':
		parse_batches(b, arg, state);
		return 0;
	case 'm':
		if (strcmp(arg, "plain") && strcmp(arg, "poll") &&
		    strcmp(arg, "both"))
			argp_error(state, "mode: '%s' is not plain, poll or both",
				   arg);
		b->modes = *arg == 'b' ? 3 : arg[1] == 'l' ? 1 << PLAIN :
							     1 << POLLED;
		return 0;
	case OPT_LEN:
		b->len = number(state, arg, "len", 1, 1ULL << 32);
		return 0;
	case 'r':
		b->rounds = number(state, arg, "rounds", 1, MAX_ROUNDS);
		return 0;
	case 't':
		b->ms = number(state, arg, "time", 1, 60000);
		return 0;
	case OPT_STALL:
		b->stall = number(state, arg, "stall", 1, 86400);
		return 0;
	case 'j':
		b->json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_usage(state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Measures how many tasks a second go through a ring, of each op "
	       "and for batches of several sizes, with system calls and with a "
	       "thread that polls.\v"
	       "Exit status: 0 measured; 1 a task failed or did not end; 2 "
	       "could not begin.",
};

/* Leaves something out. Noted in the report, and on stderr unless JSON. */
static void leave_out(struct bench *b, const char *what, const char *why)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "what", json_object_new_string(what));
	json_object_object_add(o, "why", json_object_new_string(why));
	json_object_array_add(b->notes, o);
	if (!b->json)
		complain("without %s: %s", what, why);
}

/* Bytes for a task's output. The longest that is not its length: gzip's. */
static uint64_t out_room(const struct bench *b)
{
	return (WSQ_GZIP_BOUND((uint64_t)b->len) + 127) & ~63ULL;
}

/* Fills entry @i of a batch. A task's input lies before its output. */
static void prep(const struct bench *b, struct wsq_sqe *sqe, unsigned int op,
		 unsigned int i)
{
	__u64 room = (b->len + 63) & ~63ULL;
	__u64 src = i * room, dst = (b->largest + i) * out_room(b);

	switch (op) {
	case WSQ_OP_NOP:
		wsq_prep_nop(sqe);
		break;
	case WSQ_OP_COPY:
		wsq_prep_copy(sqe, dst, src, b->len);
		break;
	case WSQ_OP_CRC32C:
		wsq_prep_crc32c(sqe, src, b->len, 0);
		break;
	case WSQ_OP_SHA256:
		wsq_prep_sha256(sqe, dst, src, b->len);
		break;
	case WSQ_OP_FILL:
		wsq_prep_fill(sqe, dst, b->len, i);
		break;
	case WSQ_OP_COMPARE:
		wsq_prep_compare(sqe, src, src, b->len);
		break;
	case WSQ_OP_XOR:
		wsq_prep_xor(sqe, dst, src, b->len);
		break;
	case WSQ_OP_XXHASH64:
		wsq_prep_xxhash64(sqe, dst, src, b->len, 0);
		break;
	case WSQ_OP_SHA512:
		wsq_prep_sha512(sqe, dst, src, b->len);
		break;
	case WSQ_OP_FSVERITY:
		wsq_prep_fsverity(sqe, dst, src, b->len);
		break;
	case WSQ_OP_SORT64:
		wsq_prep_sort64(sqe, dst, src, b->len);
		break;
	case WSQ_OP_GZIP:
		wsq_prep_gzip(sqe, dst, WSQ_GZIP_BOUND(b->len), src, b->len);
		break;
	}
}

/* Bytes that prep() may use: input, and the same and more for output. */
static uint64_t arena_size(const struct bench *b)
{
	return 2 * b->largest * out_room(b);
}

/* Submits a batch and waits for all of it. Returns 0 or a negative errno. */
static int run_batch(struct bench *b, const struct config *c)
{
	struct wsq_ring *ring = &b->ring[c->mode];
	unsigned int i, n, got = 0, spins = 0;
	struct wsq_cqe *cqes[64];
	struct wsq_sqe *sqe;
	int ret, bad = 0;

	for (i = 0; i < c->batch; i++) {
		sqe = wsq_get_sqe(ring);
		if (!sqe)
			return -ENOBUFS;
		prep(b, sqe, c->op->op, i);
	}
	ret = c->mode == POLLED ? wsq_submit(ring) :
	      wsq_submit_and_wait(ring, c->batch, b->stall * NS);
	if (ret < 0)
		return ret;
	while (got < c->batch) {
		n = wsq_peek_batch_cqe(ring, cqes, 64);
		for (i = 0; i < n; i++)
			if (cqes[i]->res < 0)
				bad = (int)cqes[i]->res;
		if (n) {
			wsq_cq_advance(ring, n);
			got += n;
			spins = 0;
			continue;
		}
		/* Polling should need no system calls: spin before waiting. */
		if (c->mode == POLLED && ++spins < SPINS)
			continue;
		ret = wsq_wait_cqes(ring, cqes, 1, b->stall * NS);
		if (ret < 0 && ret != -EINTR)
			return ret;
		spins = 0;
	}
	return bad;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS + t.tv_nsec;
}

static int run_round(struct bench *b, const struct config *c, double *rate)
{
	uint64_t tasks = 0, begin, end, until;
	unsigned int k, some = c->batch < 16 ? 16 / c->batch : 1;
	int ret;

	/* Not counted: wakes workers, warms caches. */
	ret = run_batch(b, c);
	begin = now();
	end = begin;
	until = begin + b->ms * 1000000ULL;
	while (!ret && end < until) {
		/* The clock is as expensive as a task: read it rarely. */
		for (k = 0; k < some && !ret; k++)
			ret = run_batch(b, c);
		tasks += some * c->batch;
		end = now();
	}
	if (ret) {
		complain("%s, %s, batches of %u: %s", c->op->name,
			 mode_names[c->mode], c->batch,
			 ret == -ETIME ? "a batch did not end" : strerror(-ret));
		return ret;
	}
	*rate = (double)tasks * NS / (end - begin);
	return 0;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(const double *sorted, unsigned int n)
{
	return n & 1 ? sorted[n / 2] :
		       (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static int measure(struct bench *b)
{
	unsigned int i, round;

	for (round = 0; round < b->rounds; round++) {
		for (i = 0; i < b->nr; i++) {
			if (run_round(b, &b->configs[i],
				      &b->configs[i].rate[round]))
				return EXIT_FAILED;
			/* Let the poller sleep before the next round. */
			if (b->configs[i].mode == POLLED)
				usleep(3000);
		}
	}
	for (i = 0; i < b->nr; i++)
		qsort(b->configs[i].rate, b->rounds, sizeof(double),
		      compare_doubles);
	return EXIT_OK;
}

static void put_double(struct json_object *o, const char *name, double v)
{
	json_object_object_add(o, name, json_object_new_double(v));
}

static void put_u64(struct json_object *o, const char *name, uint64_t v)
{
	json_object_object_add(o, name, json_object_new_uint64(v));
}

static int as_json(struct bench *b)
{
	struct json_object *o = json_object_new_object();
	struct json_object *list = json_object_new_array(), *e, *rates;
	unsigned int i, k;

	put_u64(o, "len", b->len);
	put_u64(o, "rounds", b->rounds);
	put_u64(o, "milliseconds", b->ms);
	put_u64(o, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	for (i = 0; i < b->nr; i++) {
		const struct config *c = &b->configs[i];
		double rate = median(c->rate, b->rounds);

		e = json_object_new_object();
		json_object_object_add(e, "op",
				       json_object_new_string(c->op->name));
		json_object_object_add(e, "mode",
				       json_object_new_string(mode_names[c->mode]));
		put_u64(e, "batch", c->batch);
		put_double(e, "rate", rate);
		put_double(e, "min", c->rate[0]);
		put_double(e, "max", c->rate[b->rounds - 1]);
		put_double(e, "ns", NS / rate);
		rates = json_object_new_array();
		for (k = 0; k < b->rounds; k++)
			json_object_array_add(rates,
					      json_object_new_double(c->rate[k]));
		json_object_object_add(e, "rates", rates);
		json_object_array_add(list, e);
	}
	json_object_object_add(o, "results", list);
	json_object_object_add(o, "left_out", json_object_get(b->notes));
	return print_json(o, false);
}

static int as_text(const struct bench *b)
{
	unsigned int i;

	printf("%-16s %-6s %6s %12s %10s %12s %12s %10s\n", "op", "mode",
	       "batch", "tasks/s", "ns/task", "min", "max", "MB/s");
	for (i = 0; i < b->nr; i++) {
		const struct config *c = &b->configs[i];
		double rate = median(c->rate, b->rounds);

		printf("%-16s %-6s %6u %12.0f %10.0f %12.0f %12.0f ",
		       c->op->name, mode_names[c->mode], c->batch, rate,
		       NS / rate, c->rate[0], c->rate[b->rounds - 1]);
		if (c->op->op == WSQ_OP_NOP)
			printf("%10s\n", "-");
		else
			printf("%10.1f\n", rate * b->len / 1e6);
	}
	return flush_stdout();
}

/* One op for all batches and modes. Returns -1 if out of memory. */
static int add_op(struct bench *b, const struct wsq_op_info *op)
{
	unsigned int i, mode;

	for (i = 0; i < b->nr_batches; i++) {
		for (mode = 0; mode < NR_MODES; mode++) {
			struct config *c = &b->configs[b->nr];

			if (!(b->modes & 1U << mode))
				continue;
			if (b->nr == sizeof(b->configs) / sizeof(b->configs[0]))
				return -1;
			c->op = op;
			c->batch = b->batches[i];
			c->mode = mode;
			c->rate = calloc(b->rounds, sizeof(*c->rate));
			if (!c->rate)
				return -1;
			b->nr++;
		}
	}
	return 0;
}

/* Why an op cannot be measured, or NULL. */
static const char *unfit(const struct bench *b, const struct wsq_op_info *op)
{
	if (op->op >= WSQ_OP_NR)
		return "it is another module's";
	if (op->op == WSQ_OP_NOP)
		return NULL;
	if (!op->max_len)
		return "the module does not have it";
	if (op->op == WSQ_OP_SORT64 && b->len % 8)
		return "its ranges are multiples of 8";
	return op->max_len < b->len ? "it does not take so long a range" : NULL;
}

static const struct wsq_op_info *find(const struct wsq_op_info *ops,
				      unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strncmp(ops[i].name, name, sizeof(ops[i].name)))
			return &ops[i];
	return NULL;
}

/* Chooses what to measure. An op that is asked for by name must exist. */
static int choose(struct bench *b, const struct wsq_op_info *ops,
		  unsigned int nr)
{
	char *word, *rest = b->ops;
	const struct wsq_op_info *op;
	const char *why;
	unsigned int i;

	for (i = 0; !b->ops && i < nr; i++) {
		if (ops[i].op >= WSQ_OP_NR)
			continue;
		why = unfit(b, &ops[i]);
		if (why)
			leave_out(b, ops[i].name, why);
		else if (add_op(b, &ops[i]))
			goto many;
	}
	while (b->ops && (word = strsep(&rest, ","))) {
		op = find(ops, nr, word);
		why = op ? unfit(b, op) : "the module does not have it";
		if (why) {
			complain("%s: %s", word, why);
			return -1;
		}
		if (add_op(b, op))
			goto many;
	}
	return 0;
many:
	complain("too much to measure, or no memory");
	return -1;
}

/* If polling is not permitted, it is left out unless nothing else is left. */
static int make_rings(struct bench *b, uint64_t max_arena)
{
	unsigned int entries = 1, mode;
	int ret;

	if (arena_size(b) > max_arena) {
		complain("it takes an arena of %" PRIu64 " bytes, the module has "
			 "arenas of up to %" PRIu64, arena_size(b), max_arena);
		return -1;
	}
	while (entries < b->largest)
		entries *= 2;
	for (mode = 0; mode < NR_MODES; mode++) {
		if (!(b->modes & 1U << mode))
			continue;
		ret = wsq_queue_init(entries, arena_size(b), &b->ring[mode],
				     mode == POLLED ? WSQ_INIT_POLL : 0);
		if (!ret) {
			memset(wsq_arena_base(&b->ring[mode]), 'w',
			       wsq_arena_size(&b->ring[mode]));
			continue;
		}
		if (ret == -EPERM && b->modes != 1U << mode) {
			leave_out(b, "polling", strerror(-ret));
			b->modes &= ~(1U << mode);
			continue;
		}
		complain("no ring: %s", strerror(-ret));
		return -1;
	}
	return 0;
}

int cmd_bench(int argc, char **argv)
{
	static struct bench b = {
		.batches = { 1, 8, 64, 512 }, .nr_batches = 4, .modes = 3,
		.len = 4096, .rounds = 5, .ms = 20, .stall = 60,
		.ring = { { .fd = -1 }, { .fd = -1 } },
	};
	struct wsq_op_info *ops = NULL;
	struct wsq_query q = { 0 };
	int ret = EXIT_TROUBLE, fd;
	unsigned int i;

	argp_parse(&argp, argc, argv, 0, NULL, &b);
	for (i = 0; i < b.nr_batches; i++)
		if (b.batches[i] > b.largest)
			b.largest = b.batches[i];
	fd = open_device();
	if (fd < 0)
		return EXIT_TROUBLE;
	b.notes = json_object_new_array();
	if (!query(fd, &q, &ops) && !make_rings(&b, q.max_arena) &&
	    !choose(&b, ops, q.nr_ops)) {
		ret = measure(&b);
		if (!ret)
			ret = b.json ? as_json(&b) : as_text(&b);
	}
	for (i = 0; i < b.nr; i++)
		free(b.configs[i].rate);
	for (i = 0; i < NR_MODES; i++)
		wsq_queue_exit(&b.ring[i]);
	json_object_put(b.notes);
	free(ops);
	wsq_close(fd);
	return ret;
}
