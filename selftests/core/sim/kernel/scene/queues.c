// SPDX-License-Identifier: GPL-2.0
/*
 * Scenarios of queues. Where nothing else is said, items compute nothing.
 *
 * all_busy		on each CPU 64 items that queue themselves again (4 with lists)
 * load10		an interrupt on each CPU, every 20 us at random, queues an item
 *			of 2 us: 10 % of what the machine can do
 * pairs		a thread on each even CPU queues items on the next one by
 *			wsq_queue_work_on(), 64 under way
 * ping_pong		an item goes to and fro between an even CPU and the next one, each
 *			time by wsq_queue_work_on()
 * one_producer_2us	a thread on CPU 0 queues items of 2 us
 * one_producer_20us	... of 20 us
 * tree			items of 500 ns that queue two more each, 262143 in all; then
 *			the next tree
 * small_tree		... 32767 in all: how fast work reaches all CPUs
 * flush		all_busy, and a thread that flushes again and again
 * bursts		a thread on each CPU queues 1000 items and flushes, again and again
 * thousand		as all_busy, each time to another of a thousand queues
 * wait_each		a thread on each CPU queues an item and waits until it has run, as
 *			Linux' lib/test_workqueue; what is timed is queueing
 *
 * Threads have 20000 items. One that finds all of them under way sleeps for 10
 * us. tools/bench/guest-counts has cases of the names pairs, load10 and
 * one_producer_2us.
 */
#include "scene.h"

static void again(struct item *it)
{
	if (!scene_stop)
		scene_put(it);
}

static unsigned int flight(unsigned int by_default)
{
	return options.flight ?: by_default;
}

/* ---- all_busy ---- */

static int busy_thread(void *arg)
{
	unsigned int i, cpu = sim_cpu();

	/* A lock makes all wait in turn; more items only prolong the end. */
	for (i = 0; i < flight(peer == &wsq_peer ? 64 : 4); i++)
		scene_put(scene_item(cpu, again, 0));
	return 0;
}

static void busy_start(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		scene_thread(cpu, busy_thread, NULL, "busy");
}

/* ---- load10 ---- */

#define LOAD_ITEMS	64
#define LOAD_PERIOD	(20 * SIM_US)

static struct item *load_items[SIM_CPUS][LOAD_ITEMS];
static u64 load_late;

static void nothing(struct item *it)
{
}

/* A random time with the exponential distribution. */
static sim_time load_next(void)
{
	/* 64 trials of 1/64 each, in steps of 1/64 of a period: near enough. */
	u64 n = 0;

	while (sim_random_below(64))
		n++;
	return n * LOAD_PERIOD / 64 + sim_random_below(LOAD_PERIOD / 64);
}

static void load_arrives(void *arg)
{
	struct item **items = arg;
	unsigned int i;

	if (scene_stop) {
		return;
	}
	for (i = 0; i < LOAD_ITEMS; i++) {
		if (items[i]->state == ITEM_IDLE) {
			scene_put(items[i]);
			break;
		}
	}
	load_late += i == LOAD_ITEMS;
	sim_raise_cheap(sim_cpu(), sim_now() + load_next(), load_arrives, arg);
}

static void load_start(void)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		for (i = 0; i < LOAD_ITEMS; i++)
			load_items[cpu][i] = scene_item(cpu, nothing, 2000);
		sim_raise_cheap(cpu, sim_now() + load_next(), load_arrives,
				load_items[cpu]);
	}
	scene_figure("offered", "tasks/us", nr_cpu_ids * ((double)SIM_US / LOAD_PERIOD));
}

/* ---- ping_pong ---- */

static void ping_item(struct item *it)
{
	if (!scene_stop)
		scene_put_on(sim_cpu() ^ 1, it);
}

static void ping_pong_start(void)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu + 1 < nr_cpu_ids; cpu += 2) {
		for (i = 0; i < flight(1); i++)
			scene_put_on(cpu, scene_item(cpu, ping_item, 0));
	}
}

/* ---- pairs, one_producer ---- */

struct producer {
	unsigned int to;
	u32 ns;
	unsigned int nr;
};

/* Items in turn; waits for one that is still in flight. */
static int producer(void *arg)
{
	const struct producer *p = arg;
	unsigned int i, cpu = sim_cpu();
	struct item **items = calloc(p->nr, sizeof(*items));

	MUST(items);
	for (i = 0; i < p->nr; i++)
		items[i] = scene_item(cpu, nothing, p->ns);
	for (i = 0; !scene_stop; i = (i + 1) % p->nr) {
		while (items[i]->state != ITEM_IDLE && !scene_stop) {
			shim_sleep(10 * SIM_US);
			/* Charge for the line that has its state. */
			sim_read(items[i], 8);
		}
		if (scene_stop)
			break;
		if (p->to == SIM_CPUS)
			scene_put(items[i]);
		else
			scene_put_on(p->to, items[i]);
		cond_resched();
	}
	free(items);
	return 0;
}

static void produce(unsigned int cpu, unsigned int to, u32 ns, unsigned int nr)
{
	struct producer *p = malloc(sizeof(*p));

	MUST(p);
	*p = (struct producer){
		.to = to, .ns = ns,
		.nr = flight(nr),
	};
	scene_thread(cpu, producer, p, "producer");
}

static void pairs_start(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu + 1 < nr_cpu_ids; cpu += 2)
		produce(cpu, cpu + 1, 0, 64);
}

static void one_2us_start(void)
{
	produce(0, SIM_CPUS, 2000, 20000);
}

static void one_20us_start(void)
{
	produce(0, SIM_CPUS, 20000, 20000);
}

/* ---- tree ---- */

#define TREE_ITEMS	262143
#define SMALL_TREE	32767

static struct item *tree[TREE_ITEMS];
static unsigned int tree_size;
static unsigned int tree_left;

static void tree_item(struct item *it)
{
	u64 i = 2 * it->arg + 1;

	if (scene_stop)
		return;
	if (!--tree_left) {
		tree_left = tree_size;
		scene_put(tree[0]);
		return;
	}
	if (i + 1 < tree_size) {
		scene_put(tree[i]);
		scene_put(tree[i + 1]);
	}
}

static void tree_plant(unsigned int size)
{
	unsigned int i;

	tree_size = size;
	for (i = 0; i < size; i++) {
		tree[i] = scene_item(i % nr_cpu_ids, tree_item, 500);
		tree[i]->arg = i;
	}
	tree_left = size;
	scene_put(tree[0]);
}

static void tree_start(void)
{
	tree_plant(TREE_ITEMS);
}

static void small_tree_start(void)
{
	tree_plant(SMALL_TREE);
}

/* ---- flush ---- */

static u64 flushes;
static sim_time flushed;

static int flusher(void *arg)
{
	sim_time before;

	/* Runs as soon as the worker yields. */
	current->rt = true;
	while (!scene_stop) {
		before = sim_now();
		peer->flush();
		flushed += sim_now() - before;
		flushes++;
		sim_progress();
		cond_resched();
	}
	return 0;
}

static void flush_over(void)
{
	if (flushes)
		scene_figure("a flush", "ns", (double)flushed / flushes / SIM_NS);
}

static void flush_start(void)
{
	busy_start();
	scene_thread(nr_cpu_ids - 1, flusher, NULL, "flusher");
}

/* ---- thousand ---- */

#define QUEUES	1000

static struct wsq *thousand[QUEUES];

static void thousand_put(struct item *it)
{
	struct wsq *one = scene_queue;

	scene_queue = thousand[sim_random_below(QUEUES)];
	scene_put(it);
	scene_queue = one;
}

static void thousand_item(struct item *it)
{
	if (!scene_stop)
		thousand_put(it);
}

static int thousand_thread(void *arg)
{
	unsigned int i, cpu = sim_cpu();

	for (i = 0; i < flight(64); i++)
		thousand_put(scene_item(cpu, thousand_item, 0));
	return 0;
}

static void thousand_start(void)
{
	const struct wsq_attrs attrs = { .engine = options.engine };
	unsigned int i;

	for (i = 0; i < QUEUES; i++) {
		thousand[i] = wsq_create(&attrs, "q%u", i);
		if (IS_ERR(thousand[i]))
			sim_fail("wsq_create(): %ld", PTR_ERR(thousand[i]));
	}
	for (i = 0; i < nr_cpu_ids; i++)
		scene_thread(i, thousand_thread, NULL, "thousand");
}

/* ---- wait_each ---- */

struct waiter {
	struct completion done;
	struct item *it;
};

static void wait_item(struct item *it)
{
	struct waiter *w = (struct waiter *)it->arg;

	complete(&w->done);
}

static int wait_thread(void *arg)
{
	struct waiter *w = sim_alloc_lines(sizeof(*w), cpu_to_node(sim_cpu()));
	sim_time before;

	w->it = scene_item(sim_cpu(), wait_item, 0);
	w->it->arg = (uintptr_t)w;
	while (!scene_stop) {
		init_completion(&w->done);
		before = sim_now();
		scene_put(w->it);
		scene_sample(sim_now() - before);
		wait_for_completion(&w->done);
		cond_resched();
	}
	return 0;
}

static void wait_start(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		scene_thread(cpu, wait_thread, NULL, "waiter");
}

/* ---- bursts ---- */

#define BURST		1000

static int burst_thread(void *arg)
{
	struct item **items = sim_alloc_lines(BURST * sizeof(*items),
					      cpu_to_node(sim_cpu()));
	unsigned int i;

	for (i = 0; i < BURST; i++)
		items[i] = scene_item(sim_cpu(), nothing, 0);
	while (!scene_stop) {
		for (i = 0; i < BURST; i++)
			scene_put(items[i]);
		peer->flush();
		cond_resched();
	}
	return 0;
}

static void burst_start(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		scene_thread(cpu, burst_thread, NULL, "burst");
}

const struct scene scenes[] = {
	{ .name = "wait_each", .start = wait_start, .timed = true },
	{ .name = "all_busy", .start = busy_start },
	{ .name = "load10", .start = load_start },
	{ .name = "ping_pong", .start = ping_pong_start, .ours = true, .least = 2 },
	{ .name = "pairs", .start = pairs_start, .ours = true, .least = 2 },
	{ .name = "one_producer_2us", .start = one_2us_start },
	{ .name = "one_producer_20us", .start = one_20us_start },
	{ .name = "tree", .start = tree_start },
	{ .name = "small_tree", .start = small_tree_start },
	{ .name = "flush", .start = flush_start, .over = flush_over, .ours = true },
	{ .name = "bursts", .start = burst_start, .ours = true },
	{ .name = "thousand", .start = thousand_start, .ours = true, .most = 16 },
	{ }
};
