// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_ddb.ko: a distributed database, by calls and serials. The experiment ddb
 * of L. Quirk, "Ownership of a queue for practical lock-free scheduling"
 * (2008), section 9, figures 7 to 10.
 *
 *	insmod wsq_ddb.ko cpus=2 hot=50
 *
 * Servers map keys to values; the hash of a key selects its server. Clients
 * send requests to them: put, get, increment. Both are units, that is, serials.
 * A request is a call on the server's serial. The answer is a call on the
 * client's serial that was given the request's future, and sends the next
 * request. No thread waits, and there is no lock.
 *
 * The check: a server numbers the requests that it serves, and clients note the
 * answers that they get. Afterwards one thread serves all requests again, in
 * the order of these numbers. Each number must have been given once, each
 * answer must be the same, so each increment was counted and each get saw what
 * was put last; and each client's requests must have been served in the order
 * in which it sent them.
 *
 * insmod returns at the end, with EIO if something is wrong; the figures are in
 * the kernel log. An example for Documentation/call.rst, and a test:
 * tools/check/call.
 *
 * Cost: 28 bytes for each request, 256 for each one in flight, 8 for each
 * server and key, until insmod returns.
 *
 * Limitations: the steals that it prints include those of other queues, and
 * utilisation is that by all tasks.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <linux/wsq.h>
#include <linux/wsq_call.h>
#include <linux/wsq_serial.h>
#include <linux/wsq_stats.h>
#include <linux/wsq_version.h>

#include "cpu_time.h"

/* The key that most requests are for. Its server has the same number. */
#define DDB_HOT_KEY	0

/* Most units of each kind, requests in flight of a client, keys. */
#define DDB_MOST	1024
#define DDB_KEYS	BIT(20)

/* A unit has not run yet. */
#define DDB_NO_CPU	UINT_MAX

/* A number that no request has. */
#define DDB_NONE	U32_MAX

static unsigned int servers = 4;
module_param(servers, uint, 0444);
MODULE_PARM_DESC(servers, "servers, 1 to 1024 (default 4)");

static unsigned int clients = 28;
module_param(clients, uint, 0444);
MODULE_PARM_DESC(clients, "clients, 1 to 1024 (default 28)");

static unsigned int requests = 20000;
module_param(requests, uint, 0444);
MODULE_PARM_DESC(requests, "requests of each client (default 20000)");

static unsigned int flight = 8;
module_param(flight, uint, 0444);
MODULE_PARM_DESC(flight, "requests of each client in flight, 1 to 1024 (default 8)");

static unsigned int keys = 1024;
module_param(keys, uint, 0444);
MODULE_PARM_DESC(keys, "keys, 1 to 1048576 (default 1024)");

static unsigned int hot = 50;
module_param(hot, uint, 0444);
MODULE_PARM_DESC(hot, "percent of the requests that are for one key (default 50)");

static unsigned int work;
module_param(work, uint, 0444);
MODULE_PARM_DESC(work, "rounds of a loop that a server runs for each request (default 0)");

static unsigned int cpus;
module_param(cpus, uint, 0444);
MODULE_PARM_DESC(cpus, "CPUs that run units (default 0: all)");

/* A parameter "sticky" would define a name that <linux/mm.h> has. */
static bool stay;
module_param(stay, bool, 0444);
MODULE_PARM_DESC(stay, "units are sticky: they run where they ran last (default 0)");

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "random seed of the requests (default 1)");

static bool each;
module_param(each, bool, 0444);
MODULE_PARM_DESC(each, "print each client too (default 0)");

enum ddb_op {
	DDB_PUT,	/* answer: the value it replaces */
	DDB_GET,
	DDB_INCREMENT,	/* answer: the new value */
	DDB_OPS
};

/**
 * struct ddb_unit - a server or a client
 * @serial: runs its messages
 * @cpu: where it ran last. Its messages, as all below.
 * @moved: how often it ran on another CPU than before
 * @ran: messages it has handled, by CPU
 */
struct ddb_unit {
	struct wsq_serial serial;
	unsigned int cpu;
	u32 moved;
	u32 *ran;
};

/**
 * struct ddb_server - a server
 * @unit: its unit
 * @nr: requests it has served
 * @values: by key; it uses those whose hash is its own
 */
struct ddb_server {
	struct ddb_unit unit;
	u32 nr;
	unsigned long *values;
} ____cacheline_aligned;

/**
 * struct ddb_record - a request and its answer, as the client saw them
 * @arg: what was put
 * @answer: the answer
 * @number: the server's number for it
 * @key: the key
 * @op: an enum ddb_op
 */
struct ddb_record {
	unsigned long arg;
	unsigned long answer;
	u32 number;
	u32 key : 24;
	u32 op : 8;
};

/**
 * struct ddb_request - a request in flight
 * @request: runs on the server
 * @answer: runs on the client, after that
 * @dep: @answer waits for the future of @request
 * @client: the client
 * @record: the client's note
 * @number: the server's number for it. The server.
 */
struct ddb_request {
	struct wsq_call request;
	struct wsq_call answer;
	struct wsq_call_dep dep;
	struct ddb_client *client;
	struct ddb_record *record;
	u32 number;
} ____cacheline_aligned;

/**
 * struct ddb_client - a client
 * @unit: its unit
 * @start: sends its first requests
 * @rnd: for its requests
 * @sent: requests sent
 * @left: requests in flight
 * @acted: requests that it sent because of an answer
 * @flight: the requests in flight
 * @records: its notes, in the order of sending
 */
struct ddb_client {
	struct ddb_unit unit;
	struct wsq_call start;
	struct rnd_state rnd;
	u32 sent;
	u32 left;
	u32 acted;
	struct ddb_request *flight;
	struct ddb_record *records;
} ____cacheline_aligned;

/**
 * struct ddb - all of it
 * @q: runs the units
 * @servers: the servers
 * @clients: the clients
 * @values: all values
 * @ran: all counters of units
 * @records: all records
 * @flight: all requests in flight
 * @failed: a call has failed
 * @stop: no more requests are wanted
 * @left: clients that have not ended
 * @over: all have
 * @end: when
 */
static struct ddb {
	struct wsq *q;
	struct ddb_server *servers;
	struct ddb_client *clients;
	unsigned long *values;
	u32 *ran;
	struct ddb_record *records;
	struct ddb_request *flight;
	bool failed;
	bool stop;
	atomic_t left;
	struct completion over;
	ktime_t end;
} ddb;

static struct ddb_server *ddb_server_of(u32 key)
{
	return &ddb.servers[hash_32(key, 32) % servers];
}

/* A message runs on @unit. */
static void ddb_count(struct ddb_unit *unit)
{
	unsigned int cpu = raw_smp_processor_id();

	if (unit->cpu != cpu) {
		unit->moved += unit->cpu != DDB_NO_CPU;
		unit->cpu = cpu;
	}
	unit->ran[cpu]++;
}

/* What a server does, here and in the check. */
static unsigned long ddb_do(unsigned long *value, enum ddb_op op,
			    unsigned long arg)
{
	unsigned long old = *value;

	switch (op) {
	case DDB_PUT:
		*value = arg;
		return old;
	case DDB_INCREMENT:
		*value = old + 1;
		return old + 1;
	default:
		return old;
	}
}

/* A message of a server. */
static int ddb_serve(struct wsq_call *call)
{
	struct ddb_request *r = container_of(call, struct ddb_request, request);
	const struct ddb_record *rec = r->record;
	struct ddb_server *s = ddb_server_of(rec->key);
	unsigned int i;

	ddb_count(&s->unit);
	r->number = s->nr++;
	wsq_call_set_value(call, ddb_do(&s->values[rec->key], rec->op,
					rec->arg));
	for (i = 0; i < work; i++)
		barrier();
	return 0;
}

static int ddb_answer(struct wsq_call *call);

/* Send @c's next request. @answer: that of the request before it, or NULL. */
static void ddb_send(struct ddb_client *c, struct ddb_request *r,
		     const struct ddb_record *answer)
{
	u32 pick = prandom_u32_state(&c->rnd), other;
	struct ddb_record *rec = &c->records[c->sent++];
	struct ddb_server *s;

	rec->number = DDB_NONE;
	if (answer && answer->key == DDB_HOT_KEY && answer->op == DDB_GET &&
	    answer->answer % 2) {
		rec->op = DDB_INCREMENT;
		rec->key = DDB_HOT_KEY;
		c->acted++;
	} else {
		other = prandom_u32_state(&c->rnd) % keys;
		/* Half of them are gets. */
		rec->op = pick & 1 ? DDB_GET :
			  pick & 2 ? DDB_PUT : DDB_INCREMENT;
		rec->key = (pick >> 2) % 100 < hot ? DDB_HOT_KEY : other;
	}
	rec->arg = pick;
	s = ddb_server_of(rec->key);
	r->client = c;
	r->record = rec;
	c->left++;
	wsq_call_init(&r->request, ddb_serve);
	wsq_call_init_final(&r->answer, ddb_answer);
	wsq_call_after(&r->answer, &r->dep,
		       wsq_call_send_serial(&r->request, &s->unit.serial));
	wsq_call_send_serial(&r->answer, &c->unit.serial);
}

/* A message of a client: takes an answer, and sends the next request. */
static int ddb_answer(struct wsq_call *call)
{
	struct ddb_request *r = container_of(call, struct ddb_request, answer);
	struct ddb_client *c = r->client;
	struct ddb_record *rec = r->record;

	ddb_count(&c->unit);
	if (unlikely(wsq_call_error(call)))
		WRITE_ONCE(ddb.failed, true);
	rec->answer = wsq_future_value(&r->request.future);
	rec->number = r->number;
	c->left--;
	if (c->sent < requests && !READ_ONCE(ddb.stop)) {
		ddb_send(c, r, rec);
	} else if (!c->left && atomic_dec_and_test(&ddb.left)) {
		ddb.end = ktime_get();
		complete(&ddb.over);
	}
	/* @call was sent again, or is used no more. */
	return WSQ_CALL_TAKEN;
}

/* The first message of a client. */
static int ddb_start(struct wsq_call *call)
{
	struct ddb_client *c = container_of(call, struct ddb_client, start);
	u32 i;

	ddb_count(&c->unit);
	for (i = 0; i < min(flight, requests); i++)
		ddb_send(c, &c->flight[i], NULL);
	return 0;
}

/* The check. */

/* Put the records of one server in the order of its numbers. */
static bool ddb_sort(u32 server, u32 *order)
{
	const struct ddb_server *s = &ddb.servers[server];
	u32 i, j, nr = 0;

	memset32(order, DDB_NONE, s->nr);
	for (i = 0; i < clients; i++) {
		const struct ddb_client *c = &ddb.clients[i];
		u32 last = DDB_NONE;

		for (j = 0; j < c->sent; j++) {
			const struct ddb_record *rec = &c->records[j];

			if (ddb_server_of(rec->key) != s)
				continue;
			if (rec->number >= s->nr ||
			    order[rec->number] != DDB_NONE) {
				pr_err("wsq_ddb: wrong: server %u has served request %u twice, or not at all\n",
				       server, rec->number);
				return false;
			}
			if (last != DDB_NONE && rec->number <= last) {
				pr_err("wsq_ddb: wrong: server %u has served request %u of client %u before an earlier one\n",
				       server, j, i);
				return false;
			}
			last = rec->number;
			order[last] = rec - ddb.records;
			nr++;
		}
		cond_resched();
	}
	if (nr != s->nr)
		pr_err("wsq_ddb: wrong: server %u has served %u requests of %u\n",
		       server, s->nr, nr);
	return nr == s->nr;
}

/* Serve the requests of one server again. */
static bool ddb_replay(u32 server, const u32 *order)
{
	const struct ddb_server *s = &ddb.servers[server];
	unsigned long *values = kvcalloc(keys, sizeof(*values), GFP_KERNEL);
	bool right = values;
	u32 i;

	for (i = 0; right && i < s->nr; i++) {
		const struct ddb_record *rec = &ddb.records[order[i]];

		right = rec->answer == ddb_do(&values[rec->key], rec->op,
					      rec->arg);
		if (!right)
			pr_err("wsq_ddb: wrong: server %u, request %u, key %u: %lu\n",
			       server, i, rec->key, rec->answer);
	}
	if (right && memcmp(values, s->values, keys * sizeof(*values))) {
		pr_err("wsq_ddb: wrong: values of server %u at the end\n",
		       server);
		right = false;
	}
	kvfree(values);
	return right;
}

static u32 ddb_ran(const struct ddb_unit *unit)
{
	unsigned int cpu;
	u32 nr = 0;

	for_each_possible_cpu(cpu)
		nr += unit->ran[cpu];
	return nr;
}

static int ddb_check(void)
{
	u64 all = (u64)clients * requests;
	u32 *order = kvmalloc_array(all, sizeof(*order), GFP_KERNEL);
	u32 i, nr[DDB_OPS] = {}, acted = 0;
	bool right = order && !ddb.failed;
	u64 messages = 0;

	for (i = 0; right && i < clients; i++) {
		const struct ddb_client *c = &ddb.clients[i];

		right = c->sent == requests && !c->left;
		messages += ddb_ran(&c->unit);
		acted += c->acted;
	}
	for (i = 0; right && i < servers; i++) {
		right = ddb_sort(i, order) && ddb_replay(i, order);
		messages += ddb_ran(&ddb.servers[i].unit);
	}
	kvfree(order);
	if (right && messages != 2 * all + clients) {
		pr_err("wsq_ddb: wrong: %llu messages, not %llu\n", messages,
		       2 * all + clients);
		right = false;
	}
	if (!right)
		return order ? -EIO : -ENOMEM;
	for (i = 0; i < all; i++)
		nr[ddb.records[i].op]++;
	pr_info("wsq_ddb: right: %llu requests\n", all);
	pr_info("wsq_ddb: %u puts, %u gets, %u increments, %u of them because of an answer\n",
		nr[DDB_PUT], nr[DDB_GET], nr[DDB_INCREMENT], acted);
	return 0;
}

/* The figures. */

/**
 * struct ddb_usage - what CPUs have done so far
 * @idle: time in us that each CPU was idle
 * @steals: items that each one has stolen
 */
struct ddb_usage {
	u64 idle;
	u64 steals;
};

static void ddb_read_usage(struct ddb_usage *usage)
{
	struct wsq_cpu_stats stats;
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		wsq_stats_cpu(cpu, &stats);
		usage[cpu].idle = sample_idle_us(cpu);
		usage[cpu].steals = 0;
		for (i = 0; i < WSQ_DIST_NR; i++)
			usage[cpu].steals += stats.steals[i];
	}
}

/* Figures 7, 8 and 10. */
static void ddb_print_cpus(const struct cpumask *mask, u64 us,
			   const struct ddb_usage *from,
			   const struct ddb_usage *to)
{
	u64 all = 2ULL * clients * requests + clients;
	unsigned int cpu;
	u32 i;

	pr_info("wsq_ddb: %llu messages in %llu us: %llu a second\n", all, us,
		div64_u64(all * USEC_PER_SEC, us));
	for_each_cpu(cpu, mask) {
		u64 ran = 0, busy;

		for (i = 0; i < servers; i++)
			ran += ddb.servers[i].unit.ran[cpu];
		for (i = 0; i < clients; i++)
			ran += ddb.clients[i].unit.ran[cpu];
		busy = sample_busy_us(us, from[cpu].idle, to[cpu].idle);
		pr_info("wsq_ddb: cpu %u: %llu messages, %llu a second, utilisation %llu %%, units stolen %llu\n",
			cpu, ran, div64_u64(ran * USEC_PER_SEC, us),
			div64_u64(busy * 100, us),
			to[cpu].steals - from[cpu].steals);
	}
}

/* CPUs that a unit has run on. */
static unsigned int ddb_spread(const struct ddb_unit *unit)
{
	unsigned int cpu, nr = 0;

	for_each_possible_cpu(cpu)
		nr += unit->ran[cpu] != 0;
	return nr;
}

/**
 * struct ddb_sum - of the units of a kind
 * @nr: how many
 * @spread: how many ran on more than one CPU
 * @ran: messages
 * @moved: how often they moved
 */
struct ddb_sum {
	u32 nr;
	u32 spread;
	u64 ran;
	u64 moved;
};

static void ddb_add(struct ddb_sum *sum, const struct ddb_unit *unit,
		    const char *kind, u32 nr, bool print)
{
	unsigned int spread = ddb_spread(unit);
	u32 ran = ddb_ran(unit);

	sum->nr++;
	sum->spread += spread > 1;
	sum->ran += ran;
	sum->moved += unit->moved;
	if (print)
		pr_info("wsq_ddb: %s %u: %u messages, moved %u times, on %u CPUs\n",
			kind, nr, ran, unit->moved, spread);
}

static void ddb_print_sum(const struct ddb_sum *sum, const char *kind)
{
	pr_info("wsq_ddb: %ss: %u of %u on more than one CPU, %llu messages, moved %llu times, %llu in 1000000\n",
		kind, sum->spread, sum->nr, sum->ran, sum->moved,
		div64_u64(sum->moved * 1000000, max(sum->ran, 1ULL)));
}

/* Figure 9. */
static void ddb_print_units(void)
{
	struct ddb_sum of_servers = {}, of_clients = {};
	u32 i;

	for (i = 0; i < servers; i++)
		ddb_add(&of_servers, &ddb.servers[i].unit, "server", i, true);
	for (i = 0; i < clients; i++)
		ddb_add(&of_clients, &ddb.clients[i].unit, "client", i, each);
	ddb_print_sum(&of_servers, "server");
	ddb_print_sum(&of_clients, "client");
}

/* Run all clients to their end: time in us, or a negative errno. */
static s64 ddb_run(void)
{
	ktime_t start = ktime_get();
	bool stopped;
	u32 i;

	for (i = 0; i < clients; i++) {
		wsq_call_init(&ddb.clients[i].start, ddb_start);
		wsq_call_send_serial(&ddb.clients[i].start,
				     &ddb.clients[i].unit.serial);
	}
	stopped = wait_for_completion_interruptible(&ddb.over);
	if (stopped) {
		WRITE_ONCE(ddb.stop, true);
		wait_for_completion(&ddb.over);
	}
	/* They may still be on their way out of the last messages. */
	for (i = 0; i < clients; i++)
		wsq_serial_destroy(&ddb.clients[i].unit.serial);
	for (i = 0; i < servers; i++)
		wsq_serial_destroy(&ddb.servers[i].unit.serial);
	return stopped ? -EINTR : max(ktime_us_delta(ddb.end, start), 1LL);
}

static void ddb_unit_init(struct ddb_unit *unit, u32 nr)
{
	wsq_serial_init(&unit->serial, ddb.q);
	wsq_serial_set_sticky(&unit->serial, stay);
	unit->cpu = DDB_NO_CPU;
	unit->ran = ddb.ran + nr * nr_cpu_ids;
}

static void ddb_free(void)
{
	kvfree(ddb.servers);
	kvfree(ddb.clients);
	kvfree(ddb.values);
	kvfree(ddb.ran);
	kvfree(ddb.flight);
	vfree(ddb.records);
}

static int ddb_alloc(void)
{
	u32 i;

	ddb.servers = kvcalloc(servers, sizeof(*ddb.servers), GFP_KERNEL);
	ddb.clients = kvcalloc(clients, sizeof(*ddb.clients), GFP_KERNEL);
	ddb.values = kvcalloc(servers, array_size(keys, sizeof(*ddb.values)),
			      GFP_KERNEL);
	ddb.ran = kvcalloc(servers + clients,
			   array_size(nr_cpu_ids, sizeof(*ddb.ran)),
			   GFP_KERNEL);
	ddb.flight = kvcalloc(clients, array_size(flight, sizeof(*ddb.flight)),
			      GFP_KERNEL);
	ddb.records = vzalloc(array3_size(clients, requests,
					  sizeof(*ddb.records)));
	if (!ddb.servers || !ddb.clients || !ddb.values || !ddb.ran ||
	    !ddb.flight || !ddb.records)
		return -ENOMEM;
	for (i = 0; i < servers; i++) {
		ddb_unit_init(&ddb.servers[i].unit, i);
		ddb.servers[i].values = ddb.values + i * keys;
	}
	for (i = 0; i < clients; i++) {
		struct ddb_client *c = &ddb.clients[i];

		ddb_unit_init(&c->unit, servers + i);
		prandom_seed_state(&c->rnd, ((u64)i << 32) + seed);
		c->flight = ddb.flight + i * flight;
		c->records = ddb.records + (size_t)i * requests;
	}
	atomic_set(&ddb.left, clients);
	init_completion(&ddb.over);
	return 0;
}

/* Run, check and print. */
static int ddb_measure(const struct cpumask *mask)
{
	struct ddb_usage *usage = kcalloc(2 * nr_cpu_ids, sizeof(*usage),
					  GFP_KERNEL);
	s64 us;
	int ret;

	if (!usage)
		return -ENOMEM;
	ddb_read_usage(usage);
	us = ddb_run();
	ddb_read_usage(usage + nr_cpu_ids);
	ret = us < 0 ? us : ddb_check();
	if (!ret) {
		ddb_print_cpus(mask, us, usage, usage + nr_cpu_ids);
		ddb_print_units();
	}
	kfree(usage);
	return ret;
}

/* The first CPUs, as many as units may run on. */
static int ddb_cpus(struct cpumask *mask)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		if (!cpus || cpumask_weight(mask) < cpus)
			cpumask_set_cpu(cpu, mask);
	return cpumask_weight(mask);
}

static bool ddb_valid(void)
{
	return servers && servers <= DDB_MOST && clients &&
	       clients <= DDB_MOST && flight && flight <= DDB_MOST && keys &&
	       keys <= DDB_KEYS && hot <= 100 && requests &&
	       (u64)clients * requests < DDB_NONE;
}

static int __init ddb_init(void)
{
	struct wsq_attrs attrs = { .flags = WSQ_RESIDENT };
	cpumask_var_t mask;
	int ret;

	if (!ddb_valid())
		return -EINVAL;
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	pr_info("wsq_ddb: %u servers, %u clients, %u requests of each in flight, %u %% for one key of %u, work %u, CPUs %d\n",
		servers, clients, flight, hot, keys, work, ddb_cpus(mask));
	attrs.cpumask = mask;
	ddb.q = wsq_create(&attrs, "ddb");
	ret = PTR_ERR_OR_ZERO(ddb.q);
	if (ret)
		goto free;
	ret = ddb_alloc();
	if (!ret)
		ret = ddb_measure(mask);
	wsq_destroy(ddb.q);
	ddb_free();
free:
	free_cpumask_var(mask);
	return ret;
}

static void __exit ddb_exit(void)
{
}

module_init(ddb_init);
module_exit(ddb_exit);

MODULE_DESCRIPTION("Sample user of wsq: a distributed database");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
