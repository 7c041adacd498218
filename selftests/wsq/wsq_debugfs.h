/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of the test debugfs: debugfs_read.c reads the files and
 * creates work, debugfs.c has the tests, except that of fork-join objects
 * (debugfs_forkjoin.c).
 */
#ifndef WSQ_DEBUGFS_H
#define WSQ_DEBUGFS_H

#include <stdbool.h>

#include "wsq_module.h"

#define DIR		"/sys/kernel/debug/wsq/"
#define TRACING		"/sys/kernel/tracing/"
/* The queue of root's rings. */
#define QUEUE		"ring:0"
#define CPUS		256
#define HASH		0x100000

struct queue {
	unsigned int id;
	char engine[64], cpus[64], flags[64], name[64];
	unsigned long long queued, done, running, waiting;
};

struct latency {
	unsigned long long begun, lost, cut;
	unsigned long long waited, ran;		/* items */
	unsigned long long waited_ns, ran_ns;	/* at least */
};

struct steals {
	unsigned long long sum;
	unsigned long long by[CPUS];
	int cells;
};

struct counts {
	struct wsq_cpu_stats cpus[CPUS];
	unsigned int nr;
	uint64_t gets;
};

struct workers {
	int nr, current, busy, timed;
	unsigned long long items;
};

struct forkjoin {
	unsigned long long max_cpus, seats, runs, started;
	unsigned long long steals, leaps, requests, grows, shrinks, sleeps;
	char queue[64];
};

/* debugfs_forkjoin.c */
bool find_forkjoin(const char *queue, struct forkjoin *fj);
void forkjoin(void);

/* debugfs_read.c */
int put_text(const char *path, const char *text, size_t len);
int collect(int on);
char *get_text(const char *path);
char *expect_text(const char *path);
bool collecting(void);
bool has_tracepoints(void);
void need_tracepoints(void);
void keep_queue(void);
void find_queue(const char *name, struct queue *q);
bool latency(struct latency *l);
void latency_settled(struct latency *l);
bool steals(struct steals *s);
void counts(struct counts *c);
uint64_t stolen(const struct wsq_cpu_stats *s);
void counts_settled(struct counts *c);
uint64_t counted_since(const struct counts *before, uint64_t nr);
void workers_now(struct workers *w);
void push_hash(struct ring *r, uint64_t len);
uint64_t run_tasks(unsigned int nr, unsigned int every);
void load_start(pid_t *pids, int nr);
void load_stop(pid_t *pids, int nr);
void need_module(void);

#endif /* WSQ_DEBUGFS_H */
