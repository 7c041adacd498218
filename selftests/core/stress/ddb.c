// SPDX-License-Identifier: GPL-2.0
/*
 * The distributed database of L. Quirk, "Ownership of a queue for practical
 * lock-free scheduling" (2008), section 9, in user space: the experiment of
 * kmod/samples/wsq_ddb.c, which describes it, on owner_queue.h and future.h
 * alone. Servers and clients are owner queues, requests and answers are calls.
 * Each worker thread has a list of the units that it shall run, and takes the
 * first one of another's if its own is empty (section 5).
 *
 *	ddb [workers=N] [servers=N] [clients=N] [items=N] [flight=N] [keys=N]
 *	    [hot=PERCENT] [work=N] [pause=US] [seed=N] [limit=SECONDS]
 *
 * items: requests of each client. The check is that of wsq_ddb.c: each server
 * numbers the requests that it serves, and one thread serves them again in that
 * order. Prints what figures 7 to 10 show.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer, which sees
 * a unit that has two owners: values and numbers are plain.
 *
 * Seen to fail:
 *	plain	an owner that counts a message as done before it has run; an
 *		answer that does not wait for its request
 *	tsan	OQ(done:A), FU(close:A)
 * Limitations: FU(send:A) without order is not noticed, because IN(push:C)
 * follows. The lists of units have locks. A worker without work spins, so its
 * utilisation is the time in which it had a unit, not CPU time.
 */
#include "stress.h"

#include "future.h"
#include "owner_queue.h"

#define MAX_UNITS	256
#define HOT_KEY		0
#define BUDGET		64
#define NO_WORKER	(~0U)
#define NO_NUMBER	(~0U)

static u64 nr_workers = 2, nr_servers = 4, nr_clients = 28, nr_items = 20000;
static u64 nr_flight = 8, nr_keys = 1024, hot = 50, work;

enum op { PUT, GET, INCREMENT };

/**
 * struct unit - a server or a client
 * @oq: its messages
 * @next: next in a list of units
 * @inside: it has an owner. Owner; plain, so that two owners are a race.
 * @worker: the worker that it ran on last. Owner, as all below.
 * @moved: how often that was another one than before
 * @ran: messages it has handled, by worker
 */
struct unit {
	struct wsq_owner_queue oq;
	struct unit *next;
	bool inside;
	u32 worker;
	u64 moved;
	u64 ran[MAX_THREADS];
};

/**
 * struct call - a call on a unit
 * @link: in the unit's list
 * @count: futures that are missing
 * @word: its future
 * @value: the future's value. Plain.
 * @unit: the unit
 * @run: its function; true if @word is to be resolved
 */
struct call {
	atomic64_t link;
	atomic64_t count;
	atomic64_t word;
	u64 value;
	struct unit *unit;
	bool (*run)(struct call *call);
};

struct dep {
	atomic64_t link;
	struct call *call;
};

/* A request and its answer, as the client saw them. */
struct record {
	u64 arg, answer;
	u32 number, key, op;
};

struct client;

/* A request in flight. */
struct request {
	struct call request, answer;
	struct dep dep;
	struct client *client;
	struct record *record;
	u32 number;
};

struct server {
	struct unit unit;
	u32 nr;
	u64 *values;
} __attribute__((aligned(64)));

struct client {
	struct unit unit;
	struct call start;
	u64 state, sent, left, acted;
	struct request *flight;
	struct record *records;
} __attribute__((aligned(64)));

/**
 * struct worker - a thread that runs units
 * @lock: protects the list
 * @first: its units
 * @end: where the next one goes
 * @stolen: units that it took from others. It alone.
 * @busy: nanoseconds in which it had a unit. It alone.
 */
static struct worker {
	pthread_mutex_t lock;
	struct unit *first, **end;
	u64 stolen, busy;
} __attribute__((aligned(64))) workers[MAX_THREADS];

static struct server servers[MAX_UNITS];
static struct client clients[MAX_UNITS];
static u64 left;
static __thread u32 me;

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

/* Units and workers. */

static void list_add(struct worker *w, struct unit *unit)
{
	unit->next = NULL;
	pthread_mutex_lock(&w->lock);
	*w->end = unit;
	w->end = &unit->next;
	pthread_mutex_unlock(&w->lock);
}

static struct unit *list_take(struct worker *w)
{
	struct unit *unit;

	pthread_mutex_lock(&w->lock);
	unit = w->first;
	if (unit) {
		w->first = unit->next;
		if (!w->first)
			w->end = &w->first;
	}
	pthread_mutex_unlock(&w->lock);
	return unit;
}

/* A unit to run: one of the worker's own, or else another worker's. */
static struct unit *find(void)
{
	struct unit *unit;
	u64 i;

	for (i = 0; i < nr_workers; i++) {
		unit = list_take(&workers[(me + i) % nr_workers]);
		if (!unit)
			continue;
		workers[me].stolen += i != 0;
		return unit;
	}
	return NULL;
}

/* All futures of a call are there. */
static void start(struct call *c)
{
	struct unit *unit = c->unit;
	int ret;

	while ((ret = wsq_oq_try_push(&unit->oq, &c->link)) == WSQ_CONFLICT)
		;
	if (ret == WSQ_PUBLISHED)
		list_add(&workers[me], unit);
}

static void resolve(struct call *c)
{
	struct wsq_backlog bl;
	atomic64_t *link;

	wsq_backlog_init(&bl);
	wsq_backlog_fill(&bl, wsq_fu_close(&c->word));
	while (!wsq_backlog_reverse(&bl, 2))
		;
	while ((link = wsq_backlog_pop(&bl))) {
		struct call *waits = ((struct dep *)link)->call;

		if (wsq_fu_arrive(&waits->count))
			start(waits);
	}
}

static void run_message(struct unit *unit)
{
	struct call *c = (struct call *)wsq_oq_pop(&unit->oq);

	check(c, "nothing there, though it was counted");
	check(!unit->inside, "a unit has two owners");
	unit->inside = true;
	if (unit->worker != me) {
		unit->moved += unit->worker != NO_WORKER;
		unit->worker = me;
	}
	unit->ran[me]++;
	check(wsq_fu_begin(&c->count), "a call is cancelled");
	if (c->run(c))
		resolve(c);
	unit->inside = false;
}

/* Owns @unit for some messages. */
static void run_unit(struct unit *unit)
{
	u32 nr;

	for (nr = 0; nr < BUDGET; nr++) {
		while (!wsq_oq_reverse(&unit->oq, 16))
			;
		run_message(unit);
		if (!wsq_oq_done(&unit->oq, 1))
			return;
	}
	list_add(&workers[me], unit);
}

static void *run_units(void *arg)
{
	struct unit *unit;
	u64 from = 0;

	me = (u32)(uintptr_t)arg;
	while (!is_over()) {
		unit = find();
		if (unit) {
			if (!from)
				from = now();
			run_unit(unit);
			continue;
		}
		if (from)
			workers[me].busy += now() - from;
		from = 0;
		sched_yield();
	}
	if (from)
		workers[me].busy += now() - from;
	return NULL;
}

/* Calls. */

static void call_init(struct call *c, struct unit *unit, bool (*run)(struct call *))
{
	wsq_fu_init(&c->word, true);
	wsq_fu_count_init(&c->count);
	c->unit = unit;
	c->run = run;
}

static void call_send(struct call *c, u32 given)
{
	wsq_fu_publish(&c->word);
	if (wsq_fu_send(&c->count, given))
		start(c);
}

/* How many futures were missing: 1 or 0. */
static u32 call_after(struct call *c, struct dep *dep, struct call *first)
{
	int ret;

	check(!wsq_fu_unsent(&first->word), "a call waits for one that was not sent");
	dep->call = c;
	while ((ret = wsq_fu_try_add(&first->word, &dep->link)) == WSQ_CONFLICT)
		;
	return ret == WSQ_OK;
}

/* The database. */

static struct server *server_of(u64 key)
{
	return &servers[(key * 0x9e3779b97f4a7c15ULL >> 32) % nr_servers];
}

static u64 apply(u64 *value, u32 op, u64 arg)
{
	u64 old = *value;

	if (op == PUT)
		*value = arg;
	else if (op == INCREMENT)
		*value = old + 1;
	return op == INCREMENT ? old + 1 : old;
}

static bool serve(struct call *c)
{
	struct request *r = (struct request *)c;
	const struct record *rec = r->record;
	struct server *s = server_of(rec->key);
	u64 i;

	r->number = s->nr++;
	c->value = apply(&s->values[rec->key], rec->op, rec->arg);
	for (i = 0; i < work; i++)
		barrier();
	return true;
}

static bool answer(struct call *c);

static void send_request(struct client *c, struct request *r, const struct record *last)
{
	u64 pick = rnd(&c->state);
	struct record *rec = &c->records[c->sent++];

	rec->number = NO_NUMBER;
	rec->arg = pick;
	if (last && last->key == HOT_KEY && last->op == GET && last->answer % 2) {
		rec->op = INCREMENT;
		rec->key = HOT_KEY;
		c->acted++;
	} else {
		rec->op = pick >> 8 & 1 ? GET : pick >> 9 & 1 ? PUT : INCREMENT;
		rec->key = (pick >> 16 & 0xffff) % 100 < hot ? HOT_KEY :
			(u32)((pick >> 32) % nr_keys);
	}
	r->client = c;
	r->record = rec;
	c->left++;
	call_init(&r->request, &server_of(rec->key)->unit, serve);
	call_init(&r->answer, &c->unit, answer);
	call_send(&r->request, 0);
	call_send(&r->answer, call_after(&r->answer, &r->dep, &r->request));
}

static bool answer(struct call *c)
{
	struct request *r = (struct request *)((char *)c - offsetof(struct request, answer));
	struct client *client = r->client;
	struct record *rec = r->record;

	check(wsq_fu_resolved(&r->request.word), "an answer comes before its request");
	rec->answer = r->request.value;
	rec->number = r->number;
	client->left--;
	if (client->sent < nr_items)
		send_request(client, r, rec);
	else if (!client->left && !__atomic_sub_fetch(&left, 1, __ATOMIC_ACQ_REL))
		__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	/* @c was sent again, or nothing waits for it. */
	return false;
}

static bool begin(struct call *c)
{
	struct client *client = (struct client *)((char *)c - offsetof(struct client, start));
	u64 i;

	for (i = 0; i < nr_flight && i < nr_items; i++)
		send_request(client, &client->flight[i], NULL);
	return true;
}

/* The check. */

static void replay(u64 server)
{
	struct server *s = &servers[server];
	const struct record **order = calloc(s->nr + 1, sizeof(*order));
	u64 *values = calloc(nr_keys, sizeof(*values)), i, j, nr = 0;

	check(order && values, "no memory");
	for (i = 0; i < nr_clients; i++) {
		u32 last = NO_NUMBER;

		for (j = 0; j < nr_items; j++) {
			const struct record *rec = &clients[i].records[j];

			if (server_of(rec->key) != s)
				continue;
			check(rec->number < s->nr && !order[rec->number],
			      "server %llu has served request %u twice, or not at all",
			      server, rec->number);
			check(last == NO_NUMBER || rec->number > last,
			      "server %llu has served a request of client %llu too early",
			      server, i);
			last = rec->number;
			order[last] = rec;
			nr++;
		}
	}
	check(nr == s->nr, "server %llu has served %u requests of %llu", server, s->nr, nr);
	for (i = 0; i < nr; i++)
		check(order[i]->answer == apply(&values[order[i]->key], order[i]->op, order[i]->arg),
		      "server %llu, request %llu: answer %llu", server, i, order[i]->answer);
	check(!memcmp(values, s->values, nr_keys * sizeof(*values)),
	      "values of server %llu", server);
	free(values);
	free(order);
}

static void print_unit(const struct unit *unit, const char *kind, u64 nr)
{
	u64 all = 0, spread = 0, i;

	for (i = 0; i < nr_workers; i++) {
		all += unit->ran[i];
		spread += unit->ran[i] != 0;
	}
	printf("%s %llu: %llu messages, moved %llu times, on %llu workers\n", kind, nr, all,
	       unit->moved, spread);
}

static void print(u64 ns)
{
	u64 all = 2 * nr_clients * nr_items + nr_clients, sum = 0, moved = 0, acted = 0, i, j;

	for (i = 0; i < nr_workers; i++) {
		u64 ran = 0;

		for (j = 0; j < nr_servers; j++)
			ran += servers[j].unit.ran[i];
		for (j = 0; j < nr_clients; j++)
			ran += clients[j].unit.ran[i];
		sum += ran;
		printf("worker %llu: %llu messages, utilisation %llu %%, units stolen %llu\n", i,
		       ran, workers[i].busy * 100 / ns, workers[i].stolen);
	}
	for (i = 0; i < nr_servers; i++)
		print_unit(&servers[i].unit, "server", i);
	for (i = 0; i < nr_clients; i++) {
		moved += clients[i].unit.moved;
		acted += clients[i].acted;
	}
	printf("clients: moved %llu times, %llu requests because of an answer\n", moved, acted);
	printf("%llu messages in %llu us: %llu a second\n", sum, ns / 1000,
	       sum * 1000000 / (ns / 1000 + 1));
	check(sum == all, "%llu messages, not %llu", sum, all);
}

static void unit_init(struct unit *unit)
{
	wsq_oq_init(&unit->oq);
	unit->worker = NO_WORKER;
}

static const struct stress_option options[] = {
	{ "workers", &nr_workers }, { "servers", &nr_servers },
	{ "clients", &nr_clients }, { "items", &nr_items },
	{ "flight", &nr_flight }, { "keys", &nr_keys },
	{ "hot", &hot }, { "work", &work },
};

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	pthread_t night;
	u64 i, from;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	if (!nr_workers || nr_workers > MAX_THREADS || !nr_servers || nr_servers > MAX_UNITS ||
	    !nr_clients || nr_clients > MAX_UNITS || !nr_items || !nr_flight || !nr_keys)
		return 2;
	printf("%llu servers, %llu clients, %llu workers, pause %llu us, %llu requests each, seed %llu\n",
	       nr_servers, nr_clients, nr_workers, pause_opt, nr_items, seed);
	for (i = 0; i < nr_workers; i++) {
		pthread_mutex_init(&workers[i].lock, NULL);
		workers[i].end = &workers[i].first;
	}
	for (i = 0; i < nr_servers; i++) {
		unit_init(&servers[i].unit);
		servers[i].values = calloc(nr_keys, sizeof(u64));
		check(servers[i].values, "no memory");
	}
	left = nr_clients;
	for (i = 0; i < nr_clients; i++) {
		struct client *c = &clients[i];

		unit_init(&c->unit);
		c->state = (seed + i) * 0x9e3779b97f4a7c15ULL | 1;
		c->flight = calloc(nr_flight, sizeof(*c->flight));
		c->records = calloc(nr_items, sizeof(*c->records));
		check(c->flight && c->records, "no memory");
		call_init(&c->start, &c->unit, begin);
		call_send(&c->start, 0);
	}
	from = now();
	for (i = 0; i < nr_workers; i++)
		pthread_create(&patients.thread[i], NULL, run_units, (void *)(uintptr_t)i);
	patients.nr = (u32)nr_workers;
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);
	while (!is_over())
		sleep_us(200);
	from = now() - from;
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 0; i < nr_workers; i++)
		pthread_join(patients.thread[i], NULL);
	for (i = 0; i < nr_servers; i++)
		replay(i);
	print(from);
	for (i = 0; i < nr_servers; i++)
		free(servers[i].values);
	for (i = 0; i < nr_clients; i++) {
		free(clients[i].flight);
		free(clients[i].records);
	}
	return 0;
}
