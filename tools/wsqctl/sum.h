/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wsqctl sum: what its parts share.
 *
 * sum.c		arguments, workers' lives, progress
 * sum_list.c		which files
 * sum_worker.c		one producer process: reads, submits, waits
 * sum_print.c		lines as sha256sum prints them, JSON
 * sum_table.c		the figures at the end
 *
 * Parent and workers share one mapping: the results and the workers' figures. A
 * result belongs to the worker that claimed its number until that stores @state
 * with release; the parent reads the rest after loading @state with acquire. A
 * worker's figures have one writer. The parent reads them while they grow (each
 * is one word) or after the worker's death.
 */
#ifndef WSQCTL_SUM_H
#define WSQCTL_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hist.h"
#include "wsqctl.h"

#define DIGEST_LEN	32

/* Where a file failed. */
enum sum_stage {
	STAGE_NONE,	/* result.err is 0 */
	STAGE_FILE,	/* opening or reading it */
	STAGE_TASK,	/* the task, completed with an error */
};

enum sum_state {
	SUM_PENDING,
	SUM_DONE,	/* digest or error */
};

struct sum_result {
	uint32_t state;
	uint16_t stage;
	uint16_t err;
	uint8_t digest[DIGEST_LEN];
};

/* Why a worker gave up. */
enum sum_giveup {
	GIVEUP_NONE,
	GIVEUP_RING,	/* no ring: err */
	GIVEUP_ENTER,	/* submitting or waiting: err */
	GIVEUP_STALL,	/* no completion for a long time; tasks: in flight */
	GIVEUP_STRAY,	/* a completion that belongs to no task */
};

struct sum_worker {
	int pid;
	bool running;
	uint32_t giveup;
	int32_t err;
	uint64_t in_flight;
	uint64_t memory;	/* with GIVEUP_RING and ENOMEM: what it takes */
	uint64_t files;		/* dealt with */
	uint64_t errors;	/* of these */
	uint64_t bytes;		/* hashed, here or by the module */
	uint64_t tasks;		/* completed */
	uint64_t same_cpu;	/* of tasks: ran where they were submitted */
	uint64_t same_node;
	uint64_t empty;		/* files hashed in process: nothing in them */
	uint64_t large;		/* more than a task or the arena takes */
	uint64_t enters;	/* calls of submit and wait that were needed */
	struct hist wait;
};

/**
 * struct sum_list - the files, by name
 * @path: names; malloc, each too
 * @nr: number of names
 * @room: capacity of @path
 * @errors: names that could not be listed, already reported
 */
struct sum_list {
	char **path;
	size_t nr;
	size_t room;
	size_t errors;
};

/**
 * struct sum_opts - options
 * @producers: how many processes submit; 0 means one per CPU
 * @depth: most tasks in flight of each, a power of two
 * @arena: bytes of each one's arena
 * @stall: seconds without any completion after which a worker gives up
 */
struct sum_opts {
	bool recurse, sort, json, zero, null, pin, progress, table, quiet, poll;
	unsigned int producers;
	unsigned int depth;
	uint64_t arena;
	unsigned int stall;
	const char *files_from;
	char **paths;
	size_t nr_paths;
};

/**
 * struct sum_run - one run
 * @opts: what was asked for
 * @list: the files
 * @poller: with --poll: a ring whose thread all producers' rings share
 * @before: the module's counters at the start; nodes of CPUs
 * @after: at the end, then the difference
 * @max_len: largest input of sha256, in bytes
 * @claim: files that a worker claims at a time
 * @next: first file that no worker has claimed; shared
 * @result: of each file; shared
 * @worker: of each worker; shared
 * @printed: files whose lines are printed
 * @lost: files that no worker finished
 * @errors: files that failed, with @lost
 * @died: workers that failed
 * @ns: duration of the run
 * @json: array of files
 */
struct sum_run {
	struct sum_opts opts;
	struct sum_list list;
	struct wsq_ring poller;
	struct counters before;
	struct counters after;
	uint64_t max_len;
	size_t claim;
	size_t *next;
	struct sum_result *result;
	struct sum_worker *worker;
	size_t printed;
	size_t lost;
	size_t errors;
	unsigned int died;
	uint64_t ns;
	struct json_object *json;
};

/* Sums over workers. */
struct sum_total {
	struct sum_worker w;
	struct wsq_cpu_stats cpu;
};

#define DIGEST_SIZE	64	/* in the arena, for each task in flight */

/* The arena that a producer asks for: the files' and a digest for each task. */
static inline uint64_t sum_arena_bytes(const struct sum_opts *o)
{
	return o->arena + (((uint64_t)DIGEST_SIZE * o->depth + 4095) & ~4095ULL);
}

int sum_list_make(struct sum_list *l, const struct sum_opts *o);
void sum_list_free(struct sum_list *l);

int sum_worker_main(struct sum_run *run, unsigned int me, int cpu);

void sum_escape(const char *s, char *out);
void sum_print_ready(struct sum_run *run, bool all);
void sum_json_end(struct sum_run *run);

void sum_totals(const struct sum_run *run, struct sum_total *t);
void sum_table(const struct sum_run *run);
struct json_object *sum_table_json(const struct sum_run *run);

#endif /* WSQCTL_SUM_H */
