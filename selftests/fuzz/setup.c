// SPDX-License-Identifier: GPL-2.0
/*
 * The fuzzer of arguments: structs of any size and content, partly mapped
 * addresses, mappings, parameters, ops of other modules, out of memory.
 *
 * For each call, the errors that ring.rst, errors.rst and <linux/wsq.h> justify
 * are collected first. If there are any, the call must fail with one of them;
 * otherwise it must succeed. A failed call must change nothing, neither the
 * users' accounts nor what is allocated. Returned values must be true, and no
 * byte may be written behind the struct that the caller knows.
 *
 * An input: which allocation fails, then calls, one after the other.
 */
#include "accounts.h"
#include "input.h"
#include "oracle.h"

#include <ring/dev.h>
#include <ring/ring.h>
#include <ring/user.h>

static struct user_namespace other_ns = { .refs = 1, .parent = &init_user_ns };
static struct task_struct *process;
static struct input in;
static u64 arena_max;
static unsigned int max_users;
static bool over;

/* The struct of a call in the process's memory; only this much is mapped. */
static u8 *user;
static size_t user_len;

void shim_published(const atomic64_t *slot)
{
}

void shim_mutex_taken(const struct mutex *lock)
{
}

void shim_mutex_released(const struct mutex *lock)
{
}

void shim_file_closing(struct file *file)
{
}

void shim_freed(const void *p)
{
}

struct file *shim_fd(unsigned int fd)
{
	/* An open file that is no ring. */
	static const struct file_operations none;
	static struct file stranger = { .f_op = &none, .refs = 1 };

	if (fd == 9)
		return &stranger;
	return fd >= 3 && fd < 3 + FILES ? opened[fd - 3].file : NULL;
}

/* Errors that are justified, a bit each. */
struct reasons {
	struct verdict v;
};

static void because(struct reasons *r, bool cond, int error)
{
	if (cond)
		verdict_error(&r->v, error);
}

static void check(const struct reasons *r, const char *what, long ret)
{
	/* A failed allocation may have been retried, or not. */
	if (ret == -ENOMEM && shim_memory.failed)
		return;
	if (verdict_bad(&r->v) ? !verdict_has(&r->v, ret) : ret != 0)
		FAIL("%s said %ld, errors %llx %llx", what, ret, r->v.errors[0],
		     r->v.errors[1]);
}

/* The rule for all structs that begin with their size. */
static void sizes(struct reasons *r, size_t known, size_t least)
{
	size_t i;
	u32 size;

	because(r, user_len < sizeof(size), EFAULT);
	if (user_len < sizeof(size))
		return;
	memcpy(&size, user, sizeof(size));
	because(r, size < least, EINVAL);
	because(r, size > 4096, E2BIG);
	if (size < least || size > 4096)
		return;
	because(r, size > user_len, EFAULT);
	for (i = known; i < size && i < user_len; i++)
		because(r, user[i], E2BIG);
}

/*
 * Makes a call with the struct in @user. Bytes behind @known must not change,
 * except @stray, whose address may be anywhere.
 */
static long call(struct opened *o, unsigned int cmd, size_t known, bool stray)
{
	u8 *was = malloc(user_len + 1);
	size_t i, end = known;
	u32 size = 0;
	long ret;

	memcpy(was, user, user_len);
	if (user_len >= sizeof(size))
		memcpy(&size, user, sizeof(size));
	end = min(end, (size_t)size);
	shim_memory.failed = false;
	ret = o->file->f_op->unlocked_ioctl(o->file, cmd,
					    shim_user_set(0, user, user_len));
	process->signal = false;
	for (i = end; !stray && i < user_len; i++)
		MUST(was[i] == user[i]);
	free(was);
	return ret;
}

/*
 * Makes the process's struct from @base: a size, so much of it mapped, perhaps
 * with random bytes.
 */
static void make(const void *base, size_t known)
{
	const u8 how = in_u8(&in);
	u32 size = known;
	u8 n;

	if (how & 1)
		size = in_number(&in, known);
	if (how & 2)
		size = in_u16(&in) & 0x1fff;
	user_len = how & 4 ? in_number(&in, size) : size;
	user_len = min(user_len, 5000UL);
	free(user);
	user = calloc(1, user_len + 1);
	memcpy(user, base, min(known, user_len));
	memcpy(user, &size, min(sizeof(size), user_len));
	for (n = how >> 5; n && user_len > 4; n--) {
		const u16 at = in_u16(&in);

		user[4 + at % (user_len - 4)] = in_u8(&in);
	}
}

static void got(void *to, size_t known)
{
	u32 size = 0;

	memset(to, 0, known);
	if (user_len >= 4)
		memcpy(&size, user, 4);
	memcpy(to, user, min(min(known, user_len), (size_t)size));
}

static struct wsq_query stop_asked(struct opened *o, const struct wsq_setup *s)
{
	struct wsq_query q = { .size = sizeof(q) };
	long ret;

	if (s) {
		q.sq_entries = s->sq_entries;
		q.cq_entries = s->cq_entries;
		q.arena_size = s->arena_size;
		q.setup_flags = s->flags;
	}
	ret = o->file->f_op->unlocked_ioctl(o->file, WSQ_IOC_QUERY,
					    shim_user_set(1, &q, sizeof(q)));
	if (ret)
		FAIL("QUERY said %ld", ret);
	shim_user_set(1, NULL, 0);
	return q;
}

static bool power(u32 n)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		if (n == 1U << i)
			return true;
	return false;
}

/* Sizes and flags that a ring may have. */
static bool possible(u32 flags, u32 sq, u32 cq, u64 arena)
{
	if (flags >= 64 || !power(sq) || sq > 32768)
		return false;
	if ((flags & WSQ_SETUP_POLL_SHARE) && !(flags & WSQ_SETUP_POLL))
		return false;
	if (cq && (!power(cq) || cq > 65536 || cq < sq))
		return false;
	return arena <= arena_max;
}

static u64 pages(u64 bytes)
{
	return (bytes + 4095) / 4096 * 4096;
}

/* QUERY returns the larger numbers. */
static void check_user(struct opened *o)
{
	struct wsq_query q = stop_asked(o, NULL);
	u64 rings = 0, tasks = 0, memory = 0;
	unsigned int i;

	for (i = 0; i < ACCOUNTS; i++) {
		const struct account a = account(i);

		if (!(caller_accounts() & BIT(i)))
			continue;
		rings = max(rings, a.rings);
		tasks = max(tasks, a.tasks);
		memory = max(memory, a.memory);
	}
	MUST(q.user_rings == rings && q.user_tasks == tasks &&
	     q.user_memory == memory);
}

/* Runs until nothing is pending. */
static void calm(void)
{
	unsigned int i;

	for (i = 0; i < 30 || !shim_works_idle(); i++)
		shim_relax();
	shim_progress();
}

static void poll_reasons(struct reasons *r, const struct wsq_setup *s)
{
	const bool poll = s->flags & WSQ_SETUP_POLL;
	const bool share = s->flags & WSQ_SETUP_POLL_SHARE;
	const struct file *other = share ? shim_fd(s->poll_fd) : NULL;
	const struct cred *c = current->cred;
	const struct opened *o;

	because(r, s->poll_fd && !share, EINVAL);
	because(r, s->idle_us && (!poll || share), EINVAL);
	because(r, s->idle_us > 1000000, EINVAL);
	because(r, poll && !share && (!(c->caps >> CAP_SYS_NICE & 1) ||
				      c->user_ns != &init_user_ns), EPERM);
	if (!share)
		return;
	because(r, !other, EBADF);
	if (!other)
		return;
	o = other->f_op == shim_misc->fops ? &opened[s->poll_fd - 3] : NULL;
	because(r, !o || !o->live || !(o->setup.flags & WSQ_SETUP_POLL), EINVAL);
	because(r, o && o->live && &creds[o->maker] != c, EPERM);
}

static void limit_reasons(struct reasons *r, const struct opened *o,
			  const struct wsq_query *q, u32 cq)
{
	const struct cred *c = current->cred, *opener = &creds[o->cred];
	const u64 memory = q->memory - (first_ring() ? wsq_user_bytes() : 0);
	unsigned int i;

	because(r, new_user() && nr_users() >= max_users, ENOSPC);
	if (c->caps >> CAP_SYS_RESOURCE & 1 && c->user_ns == &init_user_ns &&
	    opener->caps >> CAP_SYS_RESOURCE & 1 &&
	    opener->user_ns == &init_user_ns)
		return;
	for (i = 0; i < ACCOUNTS; i++) {
		const struct account a = account(i);

		if (!(ring_accounts(caller(), o->cred) & BIT(i)))
			continue;
		because(r, a.rings + 1 > q->max_user_rings, EDQUOT);
		because(r, a.tasks + cq > q->max_user_tasks, EDQUOT);
		because(r, a.memory + memory + (a.rings ? 0 : wsq_user_bytes()) >
			   q->max_user_memory, EDQUOT);
	}
}

/* Checks SETUP's answer for a ring that it made. */
static void check_setup(struct opened *o, const struct wsq_setup *was,
			const struct wsq_setup *s, u64 memory)
{
	const u32 cq = was->cq_entries ?: 2 * was->sq_entries;
	const u64 ids = was->flags & WSQ_SETUP_IDS ? 8ULL * was->sq_entries : 0;

	MUST(s->sq_entries == was->sq_entries && s->cq_entries == cq);
	MUST(s->rings_bytes == pages(256 + 32ULL * cq + ids));
	MUST(s->sqes_bytes == pages(64ULL * was->sq_entries));
	MUST(s->arena_bytes == pages(was->arena_size));
	MUST(s->cqes_off == 256);
	MUST(s->ids_off == (ids ? 256 + 32 * cq : 0));
	/* After a failed allocation it may have retried some. */
	if (shim_memory.charged > memory && !shim_memory.failed)
		FAIL("SETUP took %llu bytes, QUERY said %llu", shim_memory.charged,
		     memory);
	/* The first ring of an account is charged for the user itself, too. */
	o->memory = first_ring() ? memory - wsq_user_bytes() : memory;
	o->live = true;
	o->setup = *s;
	o->disabled = was->flags & WSQ_SETUP_DISABLED;
	o->maker = caller();
}

static void do_setup(struct opened *o)
{
	const u8 log = in_u8(&in), how = in_u8(&in);
	struct wsq_setup was, s = {
		.flags = in_u8(&in) & 63,
		.sq_entries = 1U << (log & 15),
		.cq_entries = how & 1 ? 0 : 1U << ((log & 15) + (how >> 1 & 1)),
		.arena_size = in_u16(&in) * (how & 4 ? 64ULL : 1ULL),
	};
	struct wsq_query q = {};
	struct reasons r = {};
	long ret, live, held, rings;
	u32 size = 0;

	if (s.flags & WSQ_SETUP_POLL_SHARE)
		s.poll_fd = 3 + (how >> 3) % (FILES + 3);
	else if (s.flags & WSQ_SETUP_POLL)
		s.idle_us = how >> 3;
	if (how == 0xff)
		s.sq_entries = in_number(&in, 32768);
	if (how == 0xfe)
		s.cq_entries = in_number(&in, 65536);
	if (how == 0xfd)
		s.arena_size = in_number(&in, arena_max);
	make(&s, sizeof(s));
	got(&was, sizeof(was));
	because(&r, (o->file->f_mode & 3) != 3, EBADF);
	sizes(&r, sizeof(s), 56);
	because(&r, was.ids_off, EINVAL);
	because(&r, o->live, EBUSY);
	because(&r, !possible(was.flags, was.sq_entries, was.cq_entries,
			      was.arena_size), EINVAL);
	poll_reasons(&r, &was);
	q = stop_asked(o, &was);
	MUST(!q.memory == !possible(was.flags, was.sq_entries, was.cq_entries,
				    was.arena_size));
	if (q.memory)
		limit_reasons(&r, o, &q, was.cq_entries ?: 2 * was.sq_entries);

	calm();
	live = shim_memory.live;
	held = shim_memory.pages;
	rings = stop_asked(o, NULL).user_rings;
	shim_memory.charged = 0;
	ret = call(o, WSQ_IOC_SETUP, sizeof(s), false);
	check(&r, "SETUP", ret);
	if (!ret) {
		memcpy(&size, user, sizeof(size));
		s = was;
		memcpy(&s, user, min((size_t)size, sizeof(s)));
		check_setup(o, &was, &s, q.memory);
	} else {
		calm();
		/* The first ring makes the closing queue, which stays. */
		MUST(shim_memory.live <= live + 1 && shim_memory.pages == held);
		MUST(stop_asked(o, NULL).user_rings == rings);
	}
	check_user(o);
}

static void do_query(struct opened *o)
{
	struct wsq_query q = {
		.sq_entries = 1U << (in_u8(&in) & 31),
		.setup_flags = in_u8(&in) & 63,
	}, was;
	const u8 how = in_u8(&in);
	const size_t room = how & 15, len = room * sizeof(struct wsq_op_info);
	struct wsq_op_info *ops = calloc(1, len + 1);
	struct reasons r = {};
	long ret;
	u32 i;

	q.ops = how & 16 ? shim_user_set(2, ops, how & 32 ? len / 2 : len) : 0;
	q.nr_ops = room;
	make(&q, sizeof(q));
	got(&was, sizeof(was));
	sizes(&r, sizeof(q), 72);
	because(&r, was.rsv, EINVAL);
	/* If the array may be elsewhere, its content is unknown. */
	because(&r, was.ops && was.nr_ops && (was.ops != q.ops || was.nr_ops != room ||
					      how & 32), EFAULT);
	ret = call(o, WSQ_IOC_QUERY, sizeof(q), was.ops != q.ops);
	if (was.ops && (was.ops != q.ops || was.nr_ops != room))
		MUST(!ret || verdict_has(&r.v, ret) || ret == -EFAULT);
	else
		check(&r, "QUERY", ret);
	if (!ret && was.ops == q.ops && was.nr_ops == room) {
		got(&was, sizeof(was));
		MUST(was.nr_ops == 14 && was.max_sq_entries == 32768 &&
		     was.max_cq_entries == 65536 && was.max_arena == arena_max &&
		     was.nr_cpus == nr_cpu_ids && was.nr_nodes == 2);
		for (i = 0; was.ops && i < min(was.nr_ops, (u32)room); i++) {
			const struct wsq_rule *rule = rule_of(ops[i].op);

			MUST(rule && !strcmp(rule->name, ops[i].name));
			MUST(ops[i].max_len == rule->max && !ops[i].cap);
		}
	}
	free(ops);
	shim_user_set(2, NULL, 0);
}

static void do_stats(struct opened *o)
{
	struct wsq_stats st = { .nr_cpus = in_u8(&in) & 31 }, was;
	const u8 how = in_u8(&in);
	const size_t stride = how & 1 ? 88 + 8 * (how >> 4) : in_u16(&in) & 0x1fff;
	const size_t len = stride * min(st.nr_cpus, 15U);
	u8 *cpus = calloc(1, len + 1);
	struct reasons r = {};
	struct wsq_cpu_stats one;
	u32 i, cpu;
	long ret;

	memset(cpus, 0x77, len);
	st.cpu_stats_size = stride;
	st.cpus = how & 2 ? shim_user_set(2, cpus, how & 4 ? len / 2 : len) : 0;
	make(&st, sizeof(st));
	got(&was, sizeof(was));
	sizes(&r, sizeof(st), 40);
	because(&r, was.rsv, EINVAL);
	because(&r, was.cpus && (was.cpu_stats_size < 88 || was.cpu_stats_size > 4096 ||
				 was.cpu_stats_size % 8), EINVAL);
	because(&r, was.cpus && was.nr_cpus && len && how & 4, EFAULT);
	ret = call(o, WSQ_IOC_STATS, sizeof(st), was.cpus != st.cpus);
	if (was.cpus != st.cpus || was.nr_cpus != st.nr_cpus ||
	    was.cpu_stats_size != st.cpu_stats_size) {
		MUST(!ret || verdict_has(&r.v, ret) || ret == -EFAULT);
	} else {
		check(&r, "STATS", ret);
		for (i = 0, cpu = 0; !ret && st.cpus && i < min(st.nr_cpus, 15U); i++) {
			const u8 *at = cpus + i * stride;
			size_t k;

			memset(&one, 0, sizeof(one));
			memcpy(&one, at, min(stride, sizeof(one)));
			MUST(one.cpu == cpu && one.puts == 1000 + cpu);
			for (k = sizeof(one); k < stride; k++)
				MUST(!at[k]);
			cpu += cpu == 5 ? 2 : 1;
		}
	}
	free(cpus);
	shim_user_set(2, NULL, 0);
}

static void do_ring_stats(struct opened *o)
{
	struct wsq_ring_stats st = {}, was;
	struct reasons r = {};
	long ret;

	make(&st, sizeof(st));
	got(&was, sizeof(was));
	sizes(&r, sizeof(st), 56);
	because(&r, was.rsv || !o->live, EINVAL);
	ret = call(o, WSQ_IOC_RING_STATS, sizeof(st), false);
	check(&r, "RING_STATS", ret);
	if (!ret) {
		got(&was, sizeof(was));
		MUST(was.memory == o->memory && was.submitted == was.completed);
	}
}

/* On a ring that is not in use: no entries. */
static void do_enter(struct opened *o)
{
	struct wsq_enter e = {
		.flags = in_u8(&in) & 1,
		.to_submit = in_u8(&in),
		.min_complete = in_u8(&in) & 3,
	}, was;
	struct reasons r = {};
	long ret;

	make(&e, sizeof(e));
	got(&was, sizeof(was));
	sizes(&r, sizeof(e), 32);
	because(&r, !o->live, EINVAL);
	if (o->live) {
		because(&r, was.flags & ~1U, EINVAL);
		because(&r, was.flags && !(o->setup.flags & WSQ_SETUP_POLL), EINVAL);
		because(&r, was.min_complete > o->setup.cq_entries, EINVAL);
		because(&r, o->disabled, EBADFD);
	}
	if (!verdict_bad(&r.v)) {
		because(&r, was.min_complete, ETIME);
		because(&r, was.min_complete && was.timeout_ns, EINTR);
	}
	ret = call(o, WSQ_IOC_ENTER, sizeof(e), false);
	/* The signal has a handler. */
	if (ret == -ERESTARTNOHAND)
		ret = -EINTR;
	check(&r, "ENTER", ret);
	if (!ret) {
		got(&was, sizeof(was));
		MUST(!was.submitted && !was.completed);
	}
}

static void do_cancel(struct opened *o)
{
	struct wsq_cancel c = {
		.flags = 1U << (in_u8(&in) & 3),
		.what = in_u8(&in) & 3,
	}, was;
	struct reasons r = {};

	make(&c, sizeof(c));
	got(&was, sizeof(was));
	sizes(&r, sizeof(c), 24);
	because(&r, !o->live, EINVAL);
	because(&r, was.flags != 1 && was.flags != 2 && was.flags != 4, EINVAL);
	because(&r, was.flags == 4 && was.what, EINVAL);
	if (!verdict_bad(&r.v))
		because(&r, true, ENOENT);
	check(&r, "CANCEL", call(o, WSQ_IOC_CANCEL, sizeof(c), false));
}

static void do_restrict(struct opened *o)
{
	static u32 ops[2048];
	struct wsq_restrict s = { .nr_ops = in_u16(&in) & 2047 }, was;
	const u8 how = in_u8(&in);
	struct reasons r = {};
	u64 len = 4ULL * s.nr_ops;
	long ret;

	len = min(len, (u64)sizeof(ops)) - (how & 1 && len > 4 ? how >> 6 : 0);
	s.ops = shim_user_set(2, ops, len);
	memset(ops, how, sizeof(ops));
	make(&s, sizeof(s));
	got(&was, sizeof(was));
	sizes(&r, sizeof(s), 24);
	because(&r, !o->live || was.rsv || was.nr_ops > 1024, EINVAL);
	because(&r, was.nr_ops * 4ULL > len, EFAULT);
	because(&r, o->live && !o->disabled, EBUSY);
	ret = call(o, WSQ_IOC_RESTRICT, 0, false);
	/* An array elsewhere may be unmapped, or contain more than before. */
	if (was.ops == s.ops || (ret && ret != -EFAULT))
		check(&r, "RESTRICT", ret);
	shim_user_set(2, NULL, 0);
}

static void do_enable(struct opened *o)
{
	const unsigned long arg = in_u8(&in) == 255;
	struct reasons r = {};
	long ret;

	because(&r, arg || !o->live, EINVAL);
	because(&r, o->live && !o->disabled, EBADFD);
	ret = o->file->f_op->unlocked_ioctl(o->file, WSQ_IOC_ENABLE, arg);
	check(&r, "ENABLE", ret);
	o->disabled &= ret != 0;
}

static void do_unknown(struct opened *o)
{
	const u32 cmd = in_u32(&in);

	if (cmd >= WSQ_IOC_QUERY && cmd <= WSQ_IOC_RING_STATS)
		return;
	MUST(o->file->f_op->unlocked_ioctl(o->file, cmd, in_u64(&in)) == -ENOTTY);
}

static void do_mmap(struct opened *o)
{
	const u8 how = in_u8(&in), part = in_u8(&in) % 4;
	const u64 offs[] = { WSQ_OFF_RINGS, WSQ_OFF_SQES, WSQ_OFF_ARENA, 1 << 12 };
	const u64 lens[] = { o->setup.rings_bytes, o->setup.sqes_bytes,
			     o->setup.arena_bytes, 4096 };
	struct vm_area_struct vma = {
		.vm_start = 0x10000,
		.vm_pgoff = offs[part] >> 12,
		.vm_flags = (how & 1 ? 0 : VM_SHARED) | (how & 2 ? VM_EXEC : 0) |
			    VM_MAYEXEC,
	};
	struct vm_fault vmf = { .vma = &vma };
	struct reasons r = {};
	u64 nr = lens[part] >> 12, at;
	long ret;

	if (how & 4)
		nr = in_number(&in, nr) & 0xffffff;
	if (how & 8)
		vma.vm_pgoff = in_number(&in, vma.vm_pgoff);
	vma.vm_end = vma.vm_start + (nr << 12);
	/* mmap() itself refuses an empty one. */
	if (!nr)
		return;
	because(&r, !o->live || how & 1, EINVAL);
	because(&r, vma.vm_pgoff != offs[part] >> 12 || part == 3, EINVAL);
	because(&r, nr != lens[part] >> 12, EINVAL);
	because(&r, how & 2, EACCES);
	ret = o->file->f_op->mmap(o->file, &vma);
	if (vma.vm_pgoff != offs[part] >> 12)
		/* It may be another part's offset and length. */
		MUST(ret <= 0);
	else
		check(&r, "mmap", ret);
	if (ret)
		return;
	MUST(vma.vm_flags & VM_DONTEXPAND && vma.vm_flags & VM_DONTCOPY);
	MUST(!(vma.vm_flags & VM_MAYEXEC) && !(vma.vm_flags & VM_EXEC));
	at = in_number(&in, nr);
	vmf.pgoff = vma.vm_pgoff + at;
	if (vma.vm_ops->fault(&vmf) == VM_FAULT_SIGBUS) {
		MUST(at >= nr);
		return;
	}
	MUST(at < nr && vmf.page->refs == 2);
	put_page(vmf.page);
}

static void do_look(struct opened *o)
{
	static struct seq_file text;
	__poll_t mask = o->file->f_op->poll(o->file, NULL);

	MUST(mask == (o->live ? EPOLLOUT | EPOLLWRNORM : EPOLLERR | EPOLLHUP));
	text.len = 0;
	o->file->f_op->show_fdinfo(&text, o->file);
	MUST(strstr(text.text, !o->live ? "new" : o->disabled ? "disabled" : "live"));
}

static void do_parameters(void)
{
	const u8 how = in_u8(&in);
	const u64 n = in_number(&in, 1ULL << 39);
	char text[32];
	int ret;

	switch (how & 3) {
	case 0:
		snprintf(text, sizeof(text), how & 4 ? "%llux" : "%llu", n);
		ret = shim_param_arena_max()->set(text, NULL);
		MUST(ret == (how & 4 || n > 1ULL << 39 ? -EINVAL : 0));
		if (!ret)
			arena_max = n & ~4095ULL;
		break;
	case 1:
		if (how & 0x40) {
			max_users = n % 3;
			snprintf(text, sizeof(text), "%u", max_users);
			MUST(!shim_param_max_users()->set(text, NULL));
			break;
		}
		*(unsigned int *)shim_param_max_user_rings() = n;
		break;
	case 2:
		*(unsigned int *)shim_param_max_user_tasks() = n;
		break;
	case 3:
		*(unsigned long long *)shim_param_max_user_memory() = n;
		break;
	}
}

static void do_open(struct opened *o, u8 how)
{
	struct file *file = calloc(1, sizeof(*file));

	o->cred = how % CREDS;
	file->f_mode = how & 0x30 ? 3 : 1 + (how >> 6 & 1);
	file->f_op = shim_misc->fops;
	file->f_cred = get_cred(&creds[o->cred]);
	file->refs = 1;
	shim_memory.failed = false;
	if (file->f_op->open(NULL, file)) {
		MUST(shim_memory.failed);
		put_cred(file->f_cred);
		free(file);
		return;
	}
	o->file = file;
	o->live = false;
}

static void do_close(struct opened *o)
{
	if (!o->file)
		return;
	fput(o->file);
	memset(o, 0, sizeof(*o));
	calm();
}

static void act(void)
{
	const u8 what = in_u8(&in) % 20, which = in_u8(&in);
	struct opened *o = &opened[which % FILES];

	/* The caller may have other credentials than the opener. */
	current->cred = &creds[(which >> 4) % CREDS];
	if (!o->file) {
		do_open(o, in_u8(&in));
		return;
	}
	switch (what) {
	case 0 ... 4:
		do_setup(o);
		break;
	case 5:
		do_query(o);
		break;
	case 6:
		do_stats(o);
		break;
	case 7:
		do_ring_stats(o);
		break;
	case 8:
		do_enter(o);
		break;
	case 9:
		do_cancel(o);
		break;
	case 10:
		do_restrict(o);
		break;
	case 11:
		do_enable(o);
		break;
	case 12:
		do_unknown(o);
		break;
	case 13:
	case 14:
		do_mmap(o);
		break;
	case 15:
		do_look(o);
		break;
	case 16:
		do_parameters();
		break;
	case 17:
		op_any(&in);
		break;
	case 18:
		do_close(o);
		break;
	case 19:
		shim_memory.fail = in_u8(&in);
		break;
	}
}

static int process_fn(void *arg)
{
	unsigned int i;

	while (in.n)
		act();
	shim_memory.fail = 0;
	for (i = 0; i < FILES; i++)
		do_close(&opened[i]);
	ops_unregister();
	wsq_ring_exit();
	shim_workers_stop();
	over = true;
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	unsigned int i;

	in.p = data;
	in.n = size;
	memset(&shim_memory, 0, sizeof(shim_memory));
	shim_memory.room = 1 << 20;
	shim_begin(in_u8(&in), 0);
	for (i = 0; i < CREDS; i++)
		creds[i] = (struct cred) {
			.refs = 1,
			.uid = { i ? 1000 : 0 },
			.euid = { i ? 1000 : 0 },
			.caps = i == 1 ? 0 : ~0ULL,
			.user_ns = i == 2 ? &other_ns : &init_user_ns,
		};
	current->cred = &creds[0];
	arena_max = 1 << 20;
	over = false;
	MUST(!shim_param_arena_max()->set("1048576", NULL));
	max_users = 511;
	MUST(shim_param_max_users()->set("512", NULL) == -EINVAL);
	MUST(!shim_param_max_users()->set("511", NULL));
	*(unsigned int *)shim_param_max_user_rings() = 3;
	*(unsigned int *)shim_param_max_user_tasks() = 1 << 17;
	*(unsigned long long *)shim_param_max_user_memory() = 1 << 24;
	wsq_op_next = WSQ_OP_REGISTERED;
	MUST(!wsq_ring_init());
	MUST(!ops_register());
	shim_workers_start(1);
	process = shim_spawn(process_fn, NULL);
	for (;;) {
		shim_run();
		if (over)
			break;
		/* It waits for completions that will never come. */
		MUST(process->state == TASK_INTERRUPTIBLE);
		process->signal = true;
		shim_wake(process);
	}
	shim_end();
	MUST(!shim_memory.live && !shim_memory.pages && !shim_queues);
	MUST(init_user_ns.refs == 1 && other_ns.refs == 1);
	for (i = 0; i < CREDS; i++)
		MUST(creds[i].refs == 1);
	free(user);
	user = NULL;
	return 0;
}
