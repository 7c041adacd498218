// SPDX-License-Identifier: GPL-2.0
/*
 * wsqctl info: what the module offers, by QUERY; nodes of CPUs by STATS.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>

#include "wsqctl.h"

static const struct {
	__u64 bit;
	const char *name;
} features[] = {
	{ WSQ_FEAT_TIMEOUT, "timeout" },
	{ WSQ_FEAT_STATS, "stats" },
	{ WSQ_FEAT_ORDER, "order" },
	{ WSQ_FEAT_CANCEL, "cancel" },
	{ WSQ_FEAT_RESTRICT, "restrict" },
	{ WSQ_FEAT_KEYS, "keys" },
	{ WSQ_FEAT_POLL, "poll" },
	{ WSQ_FEAT_VEC, "vec" },
	{ WSQ_FEAT_RING_STATS, "ring_stats" },
	{ WSQ_FEAT_FUTURES, "futures" },
};

#define NR_FEATURES	(sizeof(features) / sizeof(features[0]))

/* The ring whose need for memory is shown as an example. */
#define EX_SQ		256
#define EX_CQ		512
#define EX_ARENA	(1 << 20)

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print JSON", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	(void)arg;
	if (key != 'j')
		return key == ARGP_KEY_ARG ? (argp_usage(state), 0) :
					     ARGP_ERR_UNKNOWN;
	*json = true;
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Shows which ops, limits, CPUs and memory nodes the wsq module has.",
};

static void put_u64(struct json_object *o, const char *name, __u64 v)
{
	json_object_object_add(o, name, json_object_new_uint64(v));
}

static void put_bool(struct json_object *o, const char *name, bool v)
{
	json_object_object_add(o, name, json_object_new_boolean(v));
}

static void add_string(struct json_object *list, const char *s)
{
	json_object_array_add(list, json_object_new_string(s));
}

static int as_json(const struct wsq_query *q, const struct wsq_op_info *ops,
		   const struct counters *c)
{
	struct json_object *o = json_object_new_object();
	struct json_object *list = json_object_new_array(), *e;
	unsigned int i;

	for (i = 0; i < q->nr_ops; i++) {
		e = json_object_new_object();
		put_u64(e, "op", ops[i].op);
		json_object_object_add(e, "name",
				       json_object_new_string(ops[i].name));
		put_u64(e, "max_len", ops[i].max_len);
		put_bool(e, "lists", ops[i].flags & WSQ_OPF_VEC);
		if (ops[i].flags & WSQ_OPF_CAP)
			put_u64(e, "capability", ops[i].cap);
		json_object_array_add(list, e);
	}
	json_object_object_add(o, "ops", list);

	list = json_object_new_array();
	for (i = 0; i < NR_FEATURES; i++)
		if (q->features & features[i].bit)
			add_string(list, features[i].name);
	json_object_object_add(o, "features", list);
	put_u64(o, "feature_bits", q->features);
	put_u64(o, "max_sq_entries", q->max_sq_entries);
	put_u64(o, "max_cq_entries", q->max_cq_entries);
	put_u64(o, "max_arena", q->max_arena);
	e = json_object_new_object();
	put_u64(e, "max_rings", q->max_user_rings);
	put_u64(e, "max_tasks", q->max_user_tasks);
	put_u64(e, "max_memory", q->max_user_memory);
	put_u64(e, "rings", q->user_rings);
	put_u64(e, "tasks", q->user_tasks);
	put_u64(e, "memory", q->user_memory);
	json_object_object_add(o, "user", e);
	put_u64(o, "nr_cpus", q->nr_cpus);
	put_u64(o, "nr_nodes", q->nr_nodes);

	e = json_object_new_object();
	put_u64(e, "sq_entries", EX_SQ);
	put_u64(e, "cq_entries", EX_CQ);
	put_u64(e, "arena_size", EX_ARENA);
	put_u64(e, "memory", q->memory);
	json_object_object_add(o, "example_ring", e);

	list = json_object_new_array();
	for (i = 0; i < c->nr; i++) {
		e = json_object_new_object();
		put_u64(e, "cpu", c->cpus[i].cpu);
		put_u64(e, "node", c->cpus[i].node);
		put_bool(e, "online", c->cpus[i].flags & WSQ_CPU_ONLINE);
		json_object_array_add(list, e);
	}
	json_object_object_add(o, "cpus", list);
	put_u64(o, "rings", c->st.rings);
	put_u64(o, "queues", c->st.queues);
	put_u64(o, "workers", c->st.workers);
	return print_json(o, false);
}

static void print_nodes(const struct counters *c)
{
	bool *done = calloc(c->nr + 1, sizeof(*done));
	unsigned int i, k;

	if (!done)
		return;
	for (i = 0; i < c->nr; i++) {
		if (done[i])
			continue;
		printf("node %-12u CPU", c->cpus[i].node);
		for (k = i; k < c->nr; k++) {
			if (c->cpus[k].node != c->cpus[i].node)
				continue;
			done[k] = true;
			printf(" %u%s", c->cpus[k].cpu,
			       c->cpus[k].flags & WSQ_CPU_ONLINE ? "" :
			       " (offline)");
		}
		putchar('\n');
	}
	free(done);
}

static int as_text(const struct wsq_query *q, const struct wsq_op_info *ops,
		   const struct counters *c)
{
	unsigned int i;

	for (i = 0; i < q->nr_ops; i++) {
		printf("op %-14s number %u", ops[i].name, ops[i].op);
		if (ops[i].max_len)
			printf(", up to %" PRIu64 " bytes",
			       (uint64_t)ops[i].max_len);
		if (ops[i].flags & WSQ_OPF_VEC)
			printf(", lists");
		if (ops[i].flags & WSQ_OPF_CAP)
			printf(", needs capability %" PRIu64,
			       (uint64_t)ops[i].cap);
		putchar('\n');
	}
	printf("features         ");
	for (i = 0; i < NR_FEATURES; i++)
		if (q->features & features[i].bit)
			printf(" %s", features[i].name);
	printf("\nentries           up to %u to submit, %u completed\n",
	       q->max_sq_entries, q->max_cq_entries);
	printf("arena             up to %" PRIu64 " bytes\n",
	       (uint64_t)q->max_arena);
	printf("memory            %" PRIu64
	       " bytes for a ring of %u and %u entries, 1 MiB arena\n",
	       (uint64_t)q->memory, EX_SQ, EX_CQ);
	printf("a user            %u of %u rings, %u of %u tasks, %" PRIu64
	       " of %" PRIu64 " bytes\n",
	       q->user_rings, q->max_user_rings, q->user_tasks,
	       q->max_user_tasks, (uint64_t)q->user_memory,
	       (uint64_t)q->max_user_memory);
	printf("CPUs              %u on %u nodes\n", c->nr, q->nr_nodes);
	print_nodes(c);
	printf("now               %u rings, %u queues, %u workers\n",
	       c->st.rings, c->st.queues, c->st.workers);
	return flush_stdout();
}

int cmd_info(int argc, char **argv)
{
	struct wsq_query q = {
		.sq_entries = EX_SQ, .cq_entries = EX_CQ, .arena_size = EX_ARENA,
	};
	struct wsq_op_info *ops = NULL;
	struct counters c = { 0 };
	int ret = EXIT_TROUBLE;
	bool json = false;
	int fd;

	argp_parse(&argp, argc, argv, 0, NULL, &json);
	fd = open_device();
	if (fd < 0)
		return EXIT_TROUBLE;
	if (!query(fd, &q, &ops) && !counters_get(fd, &c))
		ret = json ? as_json(&q, ops, &c) : as_text(&q, ops, &c);
	free(ops);
	free(c.cpus);
	wsq_close(fd);
	return ret;
}
