// SPDX-License-Identifier: GPL-2.0
/*
 * The table of built-in ops, and the registry of ops of other modules.
 *
 * A reference holds a registered op only while its prep or its issue runs. So
 * unregistering waits for running tasks, which is soon over. It does not wait
 * for tasks queued behind other tasks or a drain: when these begin, they find
 * that the op is gone, and end with EOPNOTSUPP. Numbers are never reused, so an
 * entry cannot get another op than it meant.
 *
 * Cost: a load for a built-in op; for others, twice for each task, an xarray
 * lookup and a per-CPU reference.
 */
#include <linux/cache.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "../compat/attributes.h"
#include "../compat/export.h"
#include "ops.h"

/* Flags that all ops take. */
#define WSQ_SQE_KNOWN	(WSQ_SQE_LINK | WSQ_SQE_DRAIN | WSQ_SQE_KEY | \
			 WSQ_SQE_CPU | WSQ_SQE_NODE | WSQ_SQE_DEADLINE | \
			 WSQ_SQE_VEC | WSQ_SQE_FUTURES)

/* One more than the largest value of struct wsq_sqe.op. */
#define WSQ_OP_NUMBERS	(U16_MAX + 1)

static const struct wsq_op_def *const wsq_builtins[WSQ_OP_NR] = {
	[WSQ_OP_NOP] = &wsq_op_nop,
	[WSQ_OP_COPY] = &wsq_op_copy,
	[WSQ_OP_CRC32C] = &wsq_op_crc32c,
	[WSQ_OP_SHA256] = &wsq_op_sha256,
	[WSQ_OP_FILL] = &wsq_op_fill,
	[WSQ_OP_COMPARE] = &wsq_op_compare,
	[WSQ_OP_XOR] = &wsq_op_xor,
	[WSQ_OP_XXHASH64] = &wsq_op_xxhash64,
	[WSQ_OP_SHA512] = &wsq_op_sha512,
	[WSQ_OP_FSVERITY] = &wsq_op_fsverity,
	[WSQ_OP_SORT64] = &wsq_op_sort64,
	[WSQ_OP_GZIP] = &wsq_op_gzip,
};

/* The built-in ops that this kernel supports. Written at module load only. */
const struct wsq_op_def *wsq_op_table[WSQ_OP_NR] __ro_after_init;
WSQ_EXPORT_KUNIT(wsq_op_table);

/**
 * struct wsq_op_reg - a registered op
 * @def: as its module has it. Constant.
 * @nr: its number. Constant.
 * @going: it is being unregistered. Under wsq_ops_lock.
 * @users: contexts that use the op
 * @idle: the last user is gone
 *
 * In wsq_registered from when it is complete until all users have gone; read
 * there under RCU.
 */
struct wsq_op_reg {
	const struct wsq_op_def *def;
	u32 nr;
	bool going;
	struct percpu_ref users;
	struct completion idle;
};

static DEFINE_XARRAY(wsq_registered);
static DEFINE_MUTEX(wsq_ops_lock);
/* The next number, WSQ_OP_NUMBERS if all are used. Under the lock. */
u32 wsq_op_next = WSQ_OP_REGISTERED;
WSQ_EXPORT_KUNIT(wsq_op_next);

/**
 * wsq_reg_get() - take a reference on a registered op
 * @ref: filled in if there is one
 * @op: its number, any value
 *
 * Context: any; the op's module waits until wsq_reg_put().
 * Return: false if there is none.
 */
bool wsq_reg_get(struct wsq_op_ref *ref, unsigned int op)
{
	struct wsq_op_reg *reg;

	rcu_read_lock();
	reg = xa_load(&wsq_registered, op);
	if (reg && !percpu_ref_tryget_live(&reg->users))
		reg = NULL;
	rcu_read_unlock();
	if (!reg)
		return false;
	ref->def = reg->def;
	ref->reg = reg;
	return true;
}
WSQ_EXPORT_KUNIT(wsq_reg_get);

/**
 * wsq_reg_put() - drop a reference on a registered op
 * @ref: of wsq_reg_get()
 *
 * Context: any.
 */
void wsq_reg_put(struct wsq_op_ref *ref)
{
	percpu_ref_put(&ref->reg->users);
}
WSQ_EXPORT_KUNIT(wsq_reg_put);

/**
 * wsq_op_going() - is an op being unregistered, or gone
 * @op: its number
 *
 * Context: any.
 * Return: true if so: then its issue must not be called any more.
 */
bool wsq_op_going(unsigned int op)
{
	struct wsq_op_reg *reg;
	bool going;

	if (op < WSQ_OP_NR)
		return false;
	rcu_read_lock();
	reg = xa_load(&wsq_registered, op);
	going = !reg || percpu_ref_is_dying(&reg->users);
	rcu_read_unlock();
	return going;
}

static void wsq_op_fill_info(const struct wsq_op_def *def, u32 op,
			     struct wsq_op_info *info)
{
	memset(info, 0, sizeof(*info));
	info->op = op;
	info->max_len = def->max_len;
	strscpy(info->name, def->name, sizeof(info->name));
	if (def->shape & WSQ_SHAPE_LIST)
		info->flags |= WSQ_OPF_VEC;
	if (def->cap >= 0) {
		info->flags |= WSQ_OPF_CAP;
		info->cap = def->cap;
	}
}

/**
 * wsq_op_query() - describe an op for QUERY
 * @op: a number
 * @info: filled in with the first op that has this number or a larger one
 *
 * Context: any.
 * Return: false if there is none.
 */
bool wsq_op_query(u32 op, struct wsq_op_info *info)
{
	struct wsq_op_reg *reg;
	unsigned long index;
	bool found = false;

	for (; op < WSQ_OP_NR; op++) {
		if (!wsq_op_table[op])
			continue;
		wsq_op_fill_info(wsq_op_table[op], op, info);
		return true;
	}
	/* RCU keeps the op: wsq_unregister_op() waits for a grace period. */
	rcu_read_lock();
	xa_for_each_start(&wsq_registered, index, reg, op) {
		if (percpu_ref_is_dying(&reg->users))
			continue;
		wsq_op_fill_info(reg->def, index, info);
		found = true;
		break;
	}
	rcu_read_unlock();
	return found;
}
WSQ_EXPORT_KUNIT(wsq_op_query);

/* Check what is the same for all ops: where, when and in what order to run. */
static bool wsq_order_right(const struct wsq_sqe *sqe)
{
	const u16 hints = sqe->flags & (WSQ_SQE_CPU | WSQ_SQE_NODE);

	if (sqe->flags & ~WSQ_SQE_KNOWN)
		return false;
	switch (hints) {
	case 0:
		if (sqe->hint)
			return false;
		break;
	case WSQ_SQE_CPU:
		if (sqe->hint >= nr_cpu_ids ||
		    !cpu_possible(array_index_nospec(sqe->hint, nr_cpu_ids)))
			return false;
		break;
	case WSQ_SQE_NODE:
		if (sqe->hint >= nr_node_ids ||
		    !node_possible(array_index_nospec(sqe->hint, nr_node_ids)))
			return false;
		break;
	default:
		return false;
	}
	if (sqe->key && !(sqe->flags & WSQ_SQE_KEY))
		return false;
	switch (sqe->flags & (WSQ_SQE_DEADLINE | WSQ_SQE_FUTURES)) {
	case 0:
		return !sqe->deadline;
	case WSQ_SQE_DEADLINE:
	case WSQ_SQE_FUTURES:
		return true;
	default:
		return false;
	}
}

/**
 * wsq_op_prep_any() - check an entry
 * @def: its op
 * @sqe: the kernel's own copy of the entry
 * @arena_bytes: size of its ring's arena
 *
 * Context: as wsq_op_prep().
 * Return: as wsq_op_prep().
 */
int wsq_op_prep_any(const struct wsq_op_def *def, const struct wsq_sqe *sqe,
		    u64 arena_bytes)
{
	if (!wsq_order_right(sqe))
		return -EINVAL;
	return wsq_shape_prep(def, sqe, arena_bytes);
}
WSQ_EXPORT_KUNIT(wsq_op_prep_any);

static bool wsq_name_taken(const char *name)
{
	struct wsq_op_reg *reg;
	unsigned long index;

	/* An op that this kernel lacks keeps its name, too. */
	for (index = 0; index < WSQ_OP_NR; index++)
		if (!strcmp(wsq_builtins[index]->name, name))
			return true;
	xa_for_each(&wsq_registered, index, reg)
		if (!strcmp(reg->def->name, name))
			return true;
	return false;
}

/* The last user of an unregistered op is gone. May be in an RCU callback. */
static void wsq_reg_idle(struct percpu_ref *users)
{
	complete(&container_of(users, struct wsq_op_reg, users)->idle);
}

static int wsq_reg_add(struct wsq_op_reg *reg)
{
	int ret;

	if (wsq_name_taken(reg->def->name))
		return -EEXIST;
	if (wsq_op_next == WSQ_OP_NUMBERS)
		return -ENOSPC;
	reg->nr = wsq_op_next;
	/* A release: a context that finds the op sees it complete. */
	ret = xa_err(xa_store(&wsq_registered, reg->nr, reg, GFP_KERNEL));
	if (!ret)
		wsq_op_next++;
	return ret;
}

int wsq_register_op(const struct wsq_op_def *def)
{
	struct wsq_op_reg *reg;
	int ret, nr;

	if (!wsq_def_right(def))
		return -EINVAL;
	reg = kzalloc(sizeof(*reg), GFP_KERNEL);
	if (!reg)
		return -ENOMEM;
	reg->def = def;
	init_completion(&reg->idle);
	ret = percpu_ref_init(&reg->users, wsq_reg_idle, 0, GFP_KERNEL);
	if (ret)
		goto free;
	mutex_lock(&wsq_ops_lock);
	ret = wsq_reg_add(reg);
	/* Read under the lock: after that, @reg may be freed. */
	nr = reg->nr;
	mutex_unlock(&wsq_ops_lock);
	if (!ret)
		return nr;

	percpu_ref_exit(&reg->users);
free:
	kfree(reg);
	return ret;
}
WSQ_EXPORT(wsq_register_op);

/*
 * Find the first matching op, @def or any of @owner, that no other context is
 * unregistering. No more tasks begin with it.
 */
static struct wsq_op_reg *wsq_reg_close(const struct wsq_op_def *def,
					const struct module *owner)
{
	struct wsq_op_reg *reg, *found = NULL;
	unsigned long index;

	mutex_lock(&wsq_ops_lock);
	xa_for_each(&wsq_registered, index, reg) {
		if (reg->going || (def ? reg->def != def :
				   reg->def->owner != owner))
			continue;
		reg->going = true;
		percpu_ref_kill(&reg->users);
		found = reg;
		break;
	}
	mutex_unlock(&wsq_ops_lock);
	return found;
}

static void wsq_reg_remove(struct wsq_op_reg *reg)
{
	wait_for_completion(&reg->idle);
	mutex_lock(&wsq_ops_lock);
	xa_erase(&wsq_registered, reg->nr);
	mutex_unlock(&wsq_ops_lock);
	/* For readers that have no reference. */
	synchronize_rcu();
	percpu_ref_exit(&reg->users);
	kfree(reg);
}

void wsq_unregister_op(const struct wsq_op_def *def)
{
	struct wsq_op_reg *reg = wsq_reg_close(def, NULL);

	if (!WARN_ON_ONCE(!reg))
		wsq_reg_remove(reg);
}
WSQ_EXPORT(wsq_unregister_op);

/**
 * wsq_ops_forget() - unregister all ops that a module has left registered
 * @owner: the module
 *
 * Context: task; sleeps.
 * Return: number of these ops.
 */
unsigned int wsq_ops_forget(const struct module *owner)
{
	struct wsq_op_reg *reg;
	unsigned int nr = 0;

	if (!owner)
		return 0;
	while ((reg = wsq_reg_close(NULL, owner))) {
		pr_warn("wsq: a module has left its op %s registered\n",
			reg->def->name);
		wsq_reg_remove(reg);
		nr++;
	}
	return nr;
}
WSQ_EXPORT_KUNIT(wsq_ops_forget);

/* A module is about to be freed, after its exit function or a failed init. */
static int wsq_ops_module_event(struct notifier_block *nb, unsigned long event,
				void *module)
{
	if (event == MODULE_STATE_GOING)
		wsq_ops_forget(module);
	return NOTIFY_DONE;
}

static struct notifier_block wsq_ops_notifier = {
	.notifier_call = wsq_ops_module_event,
};

/**
 * wsq_ops_init() - set up the ops
 *
 * Context: module load.
 * Return: 0 or -errno.
 */
int wsq_ops_init(void)
{
	unsigned int op;
	int ret;

	ret = wsq_hashes_init();
	if (ret)
		return ret;
	for (op = 0; op < WSQ_OP_NR; op++)
		if (wsq_hash_there(wsq_builtins[op]) &&
		    wsq_algo_op_there(wsq_builtins[op]))
			wsq_op_table[op] = wsq_builtins[op];
	ret = register_module_notifier(&wsq_ops_notifier);
	if (ret)
		wsq_hashes_exit();
	return ret;
}

/**
 * wsq_ops_exit() - undo wsq_ops_init()
 *
 * Context: module unload; no op is running, and none is registered: modules
 * that register ops depend on this one.
 */
void wsq_ops_exit(void)
{
	unregister_module_notifier(&wsq_ops_notifier);
	WARN_ON(!xa_empty(&wsq_registered));
	wsq_hashes_exit();
}
