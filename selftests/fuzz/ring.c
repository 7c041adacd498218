// SPDX-License-Identifier: GPL-2.0
/*
 * The fuzzer of rings: two processes at /dev/wsq, workers, pollers, in random
 * order.
 *
 * Results of calls are compared with ring.rst and <linux/wsq.h>, completions
 * with model.c. When all fibers that are left wait, each must have a reason to,
 * and at the end everything must have been freed.
 *
 * An input: a schedule, then actions, one after the other, each by the process
 * that has the CPU.
 */
#include "input.h"
#include "model.h"

#define FILES		3
/* More than are released at a time when a drain has ended. */
#define SQ_MOST		512
#define PROCESSES	2
#define NO_CALL		(~0U)

/* struct process.error: may wait; may not wait; may not wait for a lock. */
#define MAY_WAIT	1
#define NO_WAIT		0
#define NO_LOCK		2

/**
 * struct process - one that uses rings
 * @task: its thread, while that has @pid; another may reuse the slot
 * @pid: likewise
 * @cred: its credentials
 * @call: the call it is in
 * @m: ring of that call
 * @to_submit: of ENTER
 * @min_complete: of ENTER
 * @ops: of RESTRICT: ops that remain allowed, as bits; @sqe_flags likewise
 * @took: entries that this ENTER took
 * @error: expected error, or MAY_WAIT, NO_WAIT, NO_LOCK
 * @head: cq_head before the call
 * @seen: completions before the call
 * @polls: the ring in whose poll() it sleeps
 * @poll_head: cq_head of that ring at that time
 */
struct process {
	struct task_struct *task;
	int pid;
	struct cred cred;
	unsigned int call;
	struct model *m;
	u32 to_submit;
	u32 min_complete;
	u64 ops;
	u16 sqe_flags;
	u64 took;
	int error;
	u64 head;
	u64 seen;
	struct wsq_ring *polls;
	u64 poll_head;
};

static struct process processes[PROCESSES];
static struct file *files[FILES];
static struct input in;
static bool holding;
static bool ops_there;

struct file *shim_fd(unsigned int fd)
{
	return fd >= 3 && fd < 3 + FILES ? files[fd - 3] : NULL;
}

void shim_file_closing(struct file *file)
{
	struct model *m = model_at(file->private_data);

	if (m)
		m->closed = true;
}

void shim_freed(const void *p)
{
	struct model *m = model_at(p);

	if (m)
		m->ring = NULL;
}

static bool alive(const struct process *p)
{
	return p->task->live && p->task->pid == p->pid;
}

static struct process *self(void)
{
	unsigned int i;

	for (i = 0; i < PROCESSES; i++)
		if (processes[i].pid == current->pid)
			return &processes[i];
	return NULL;
}

static unsigned int index_of(const struct process *p)
{
	return p - processes;
}

/* ENTER's expected effect, by the cursors, which do not change during it. */
static void enter_look(struct process *p, struct model *m)
{
	const struct wsq_ring *ring = m->ring;
	const u64 cq_head = ring->page->cq_head;
	const u64 ready = ring->page->sq_tail - m->taken;
	const u64 room = m->cq - (m->taken - ring->cq_head);
	const u64 want = min(ready, (u64)p->to_submit);
	u64 n = model_whole(m, want, room);

	p->head = ring->cq_head;
	p->error = MAY_WAIT;
	p->took = ring->sq_head - m->taken;
	/* The end of a chain may have changed since. */
	if (m->wild && want > room)
		n = min(p->took, room);
	if (ring->disabled) {
		p->error = -EBADFD;
	} else if (cq_head != ring->cq_head) {
		/* Completions may have come since the call began. */
		MUST(cq_head < m->cq_head || cq_head > p->seen);
		p->error = -EINVAL;
	} else if (p->to_submit && ready > m->sq) {
		p->error = -EINVAL;
	} else if (want && !n) {
		p->error = -EAGAIN;
	} else if (n < want) {
		p->error = NO_WAIT;
	}
	if (p->error < 0)
		n = 0;
	if (p->took != n)
		FAIL("ENTER took %llu entries, %llu wanted, room for %llu", p->took,
		     want, room);
}

static struct model *model_locked(const struct mutex *lock)
{
	unsigned int i;

	for (i = nr_models; i--;)
		if (models[i].ring && lock == &models[i].ring->lock)
			return &models[i];
	return NULL;
}

/* A taker reads each word of an entry once; then the word changes. */
static struct wsq_sqe sqes_were[SQ_MOST];
static struct model *watched;

void shim_mutex_taken(const struct mutex *lock)
{
	struct process *p = self();
	struct model *m = model_locked(lock);

	if (m)
		m->at_lock = m->completed;
	if (!m || !m->live || !p || p->call != WSQ_IOC_ENTER || watched)
		return;
	/* If not all fit, flags are read earlier: where does a chain end? */
	if (m->ring->page->sq_tail - m->ring->page->cq_head > m->cq)
		return;
	watched = m;
	memcpy(sqes_were, m->ring->sqes, m->sq * sizeof(*sqes_were));
	shim_watch.from = (u8 *)m->ring->sqes;
	shim_watch.to = shim_watch.from + m->sq * sizeof(*sqes_were);
}

/* A ring's lock was released: checks what the owner did. */
void shim_mutex_released(const struct mutex *lock)
{
	struct process *p = self();
	struct model *m = model_locked(lock);
	struct wsq_ring *ring;

	if (!m)
		return;
	ring = m->ring;
	if (m == watched) {
		watched = NULL;
		memset(&shim_watch, 0, sizeof(shim_watch));
		memcpy(ring->sqes, sqes_were, m->sq * sizeof(*sqes_were));
	}
	if (!m->live && ring->live) {
		m->live = true;
		m->sq = ring->sizes.sq_entries;
		m->cq = ring->sizes.cq_entries;
		m->arena = ring->sizes.arena;
		m->ops = ~0ULL;
		m->sqe_flags = 0xffff;
		m->honest = ring->poller;
		m->setup_flags = (ring->ids ? WSQ_SETUP_IDS : 0) |
				 (ring->keys.slots ? WSQ_SETUP_KEYS : 0) |
				 (ring->futures.slots ? WSQ_SETUP_FUTURES : 0) |
				 (ring->poller ? WSQ_SETUP_POLL : 0);
	}
	if (!m->live)
		return;
	MUST(ring->cq_head >= m->cq_head);
	MUST(ring->cq_head <= (u64)atomic64_read(&ring->completed));
	if (p && p->call == WSQ_IOC_ENTER && p->m == m)
		enter_look(p, m);
	if (p && p->call == WSQ_IOC_RESTRICT && p->m == m && ring->disabled) {
		m->ops &= p->ops;
		m->sqe_flags &= p->sqe_flags;
	}
	m->cq_head = ring->cq_head;
	model_take(m, ring->sq_head);
}

/* A call by @file, which the process keeps open for as long. */
static long call(struct process *p, struct file *file, unsigned int cmd, void *arg,
		 size_t size)
{
	u64 addr = arg ? shim_user_set(2 * index_of(p), arg, size) : 0;
	long ret;

	file->refs++;
	p->m = model_at(file->private_data);
	p->call = cmd;
	p->error = NO_LOCK;
	p->took = 0;
	p->seen = p->m ? p->m->completed : 0;
	ret = file->f_op->unlocked_ioctl(file, cmd, addr);
	p->call = NO_CALL;
	p->m = NULL;
	fput(file);
	return ret;
}

/* The process's mapping for writing; entries stay while they are taken. */
static struct wsq_ring *mapping(struct file *file, bool wild)
{
	struct model *m = file ? model_at(file->private_data) : NULL;

	if (!m || !m->live)
		return NULL;
	if (m->ring->lock.owner) {
		if (!wild)
			return NULL;
		m->wild = true;
	}
	return m->ring;
}

static void do_open(struct process *p, unsigned int i)
{
	struct model *m;
	struct file *file;

	if (files[i])
		return;
	m = model_new();
	if (!m)
		return;
	file = calloc(1, sizeof(*file));
	file->f_mode = FMODE_READ | FMODE_WRITE;
	file->f_op = shim_misc->fops;
	file->f_cred = get_cred(&p->cred);
	file->refs = 1;
	MUST(!file->f_op->open(NULL, file));
	m->ring = file->private_data;
	files[i] = file;
}

static void do_setup(struct process *p, struct file *file)
{
	const u8 how = in_u8(&in), size = in_u8(&in);
	const bool large = how == 64 || how == 192;
	struct model *m = model_at(file->private_data);
	bool was = m->live;
	long ret;
	struct wsq_setup s = {
		.size = sizeof(s),
		.flags = (how & 31) | (how & 128 ? WSQ_SETUP_FUTURES : 0),
		.sq_entries = 1 << (size & 3),
		.cq_entries = size & 4 ? 0 : 1 << ((size & 3) + (size >> 3 & 1)),
		.arena_size = (size >> 4 & 3) * (large ? 16384 : 4096),
	};

	/* Rarely, because everything else is slow then. */
	if (large) {
		s.sq_entries = SQ_MOST;
		s.cq_entries = SQ_MOST;
	}
	/* Rarely, too. */
	if (!(how & 32))
		s.flags &= ~(WSQ_SETUP_POLL | WSQ_SETUP_POLL_SHARE);
	if (s.flags & WSQ_SETUP_POLL_SHARE)
		s.poll_fd = 2 + (size >> 6);
	else if (s.flags & WSQ_SETUP_POLL)
		s.idle_us = size >> 6;
	ret = call(p, file, WSQ_IOC_SETUP, &s, sizeof(s));
	switch (ret) {
	case 0:
		MUST(!was && m->live);
		MUST(m->setup_flags == (s.flags & (WSQ_SETUP_IDS | WSQ_SETUP_KEYS |
						   WSQ_SETUP_POLL | WSQ_SETUP_FUTURES)));
		break;
	case -EBUSY:
		MUST(m->live);
		break;
	case -EPERM:
	case -EBADF:
	case -EINVAL:
	case -ENOMEM:
		MUST(s.flags & WSQ_SETUP_POLL || s.flags & WSQ_SETUP_POLL_SHARE);
		break;
	case -EINTR:
		MUST(p->task->killed);
		break;
	default:
		FAIL("SETUP said %ld", ret);
	}
}

/* Fills free entries. Returns how many. */
static unsigned int do_fill(struct file *file)
{
	struct wsq_ring *ring = mapping(file, false);
	const u8 how = in_u8(&in);
	/* Many entries are all equal. */
	const bool many = how & 32 && ring && ring->sizes.sq_entries == SQ_MOST;
	unsigned int i, nr = many ? 40 * (1 + (how & 7)) : 1 + (how & 7);
	struct wsq_sqe sqe;
	u64 tail, room;

	if (!ring)
		return 0;
	tail = ring->page->sq_tail;
	room = ring->sizes.sq_entries - (tail - ring->sq_head);
	if (room > ring->sizes.sq_entries || tail + nr + 64 > ENTRIES)
		return 0;
	nr = min(nr, (unsigned int)room);
	for (i = 0; i < nr; i++) {
		if (!many || !i)
			in_sqe(&in, &sqe, ring->arena, ring->sizes.arena);
		if (how & 8) {
			/* A probe, which records when it begins and ends. */
			sqe.op = OP_PROBE;
			sqe.flags &= ~WSQ_SQE_VEC;
			sqe.src = 0;
			sqe.len = 0;
			sqe.dst = 0;
		} else if (how & 16) {
			memset(&sqe, 0, offsetof(struct wsq_sqe, user_data));
			memset(&sqe.src, 0, sizeof(sqe) - offsetof(struct wsq_sqe, src));
		}
		if (how & 64 && ring->futures.slots)
			in_futures(&in, &sqe, i, many ? 2 + (how & 1) : 0);
		ring->sqes[(tail + i) & ring->sq_mask] = sqe;
	}
	ring->page->sq_tail = tail + nr;
	return nr;
}

static void check_enter(struct process *p, const struct wsq_enter *e, long ret,
			const struct model *m, bool right, u64 began)
{
	if (e->submitted != p->took)
		FAIL("%u entries submitted, %llu taken", e->submitted, p->took);
	if (!right) {
		MUST(ret == -EINVAL && p->error == NO_LOCK);
		return;
	}
	if (p->error == NO_LOCK) {
		MUST(ret == -EINTR && p->task->killed);
		return;
	}
	/* More than fit, if the other process has read some in between. */
	if (e->completed && p->head + e->completed > m->completed)
		FAIL("ENTER returned %u behind %llu, there are %llu", e->completed,
		     p->head, m->completed);
	if (p->error < 0 || p->error == NO_WAIT || !e->min_complete) {
		if (ret != min(p->error, 0))
			FAIL("ENTER said %ld, not %d", ret, p->error);
		return;
	}
	switch (ret) {
	case 0:
		MUST(e->completed >= e->min_complete);
		break;
	case -ETIME:
		MUST(e->timeout_ns < LLONG_MAX && shim_clock - began >= e->timeout_ns);
		break;
	case -EINTR:
	case -ERESTARTNOHAND:
		MUST(p->task->signal && !e->submitted == (ret == -ERESTARTNOHAND));
		break;
	default:
		FAIL("ENTER said %ld", ret);
	}
}

static void do_enter(struct process *p, struct file *file, struct wsq_enter *e)
{
	struct model *m = model_at(file->private_data);
	const bool live = m->live;
	const u64 began = shim_clock;
	bool right;
	long ret;

	e->size = sizeof(*e);
	/* No more than the model can record. */
	if (m->taken >= ENTRIES)
		e->to_submit = 0;
	e->to_submit = min(e->to_submit, (u32)(ENTRIES - m->taken));
	p->to_submit = e->to_submit;
	p->min_complete = e->min_complete;
	ret = call(p, file, WSQ_IOC_ENTER, e, sizeof(*e));
	if (!live) {
		MUST(ret == -EINVAL || m->live);
		return;
	}
	right = !(e->flags & ~WSQ_ENTER_WAKEUP) && e->min_complete <= m->cq &&
		(!e->flags || m->setup_flags & WSQ_SETUP_POLL);
	check_enter(p, e, ret, m, right, began);
	p->task->signal = p->task->killed;
}

/* A process with a poller stored a cursor: wakes the poller if it sleeps. */
static void do_wake(struct process *p, struct file *file)
{
	struct model *m = model_at(file->private_data);
	struct wsq_enter e = { .flags = WSQ_ENTER_WAKEUP };

	if (!m->live || !(m->setup_flags & WSQ_SETUP_POLL))
		return;
	shim_point();
	if (!(READ_ONCE(m->ring->page->flags) & WSQ_RING_NEED_WAKEUP))
		return;
	do_enter(p, file, &e);
	if (p->error == NO_LOCK)
		m->honest = false;
}

static void do_enter_any(struct process *p, struct file *file)
{
	struct wsq_enter e = {
		.flags = in_u8(&in) >> 6,
		.to_submit = in_number(&in, 8),
		.min_complete = in_number(&in, 4),
		.timeout_ns = in_number(&in, WSQ_NO_TIMEOUT),
	};

	do_enter(p, file, &e);
}

static void do_cancel(struct process *p, struct file *file)
{
	struct model *m = model_at(file->private_data);
	const bool live = m->live;
	struct wsq_cancel c = { .size = sizeof(c) };
	const u8 how = in_u8(&in);
	const u64 taken = m->taken;
	bool right;
	long ret;

	c.flags = how & 0x80 ? in_u8(&in) : 1U << how % 3;
	c.what = c.flags == WSQ_CANCEL_USER_DATA ? in_u8(&in) :
		 how & 0x40 ? in_number(&in, taken << 16) : 0;
	/* One of the last few. */
	if (c.flags == WSQ_CANCEL_ID && !(how & 0x40) && taken)
		c.what = m->entry[taken - 1 - (how >> 2) % min(taken, 16ULL)].id;
	model_cancels(m, &c);
	m->cancels++;
	ret = call(p, file, WSQ_IOC_CANCEL, &c, sizeof(c));
	m->cancels--;
	model_cancels(m, &c);
	if (!live) {
		MUST(ret == -EINVAL || m->live);
		return;
	}
	right = c.flags == WSQ_CANCEL_ID || c.flags == WSQ_CANCEL_USER_DATA ||
		(c.flags == WSQ_CANCEL_ALL && !c.what);
	if (!right) {
		MUST(ret == -EINVAL);
		return;
	}
	if (ret == -EINTR) {
		MUST(p->task->killed);
		return;
	}
	MUST(c.cancelled + c.running <= m->taken);
	MUST(ret == (c.cancelled ? 0 : c.running ? -EALREADY : -ENOENT));
	if (c.flags == WSQ_CANCEL_ID)
		MUST(c.cancelled + c.running <= 1);
	if (!c.running && !m->wild)
		model_called_back(m, &c, taken);
}

static void do_restrict(struct process *p, struct file *file)
{
	struct model *m = model_at(file->private_data);
	const bool live = m->live, fresh = live && m->ring->disabled;
	struct wsq_restrict r = { .size = sizeof(r), .sqe_flags = in_u16(&in) };
	u32 ops[8], i;
	long ret;

	p->ops = 0;
	p->sqe_flags = r.sqe_flags;
	r.nr_ops = in_u8(&in) % (ARRAY_SIZE(ops) + 1);
	for (i = 0; i < r.nr_ops; i++) {
		ops[i] = in_u8(&in) & 15;
		if (ops[i] > 9)
			ops[i] += OP_SUM - 10;
		p->ops |= op_bit(ops[i]);
	}
	r.ops = shim_user_set(2 * index_of(p) + 1, ops, sizeof(ops));
	ret = call(p, file, WSQ_IOC_RESTRICT, &r, sizeof(r));
	if (!live)
		MUST(ret == -EINVAL || m->live);
	else if (!fresh)
		MUST(ret == -EBUSY || (ret == -EINTR && p->task->killed));
}

static void do_enable(struct process *p, struct file *file)
{
	struct model *m = model_at(file->private_data);
	const bool live = m->live, fresh = live && m->ring->disabled;
	long ret = call(p, file, WSQ_IOC_ENABLE, NULL, 0);

	if (!live)
		MUST(ret == -EINVAL || m->live);
	else if (!fresh)
		MUST(ret == -EBADFD || (ret == -EINTR && p->task->killed));
	else
		MUST(!ret || ret == -EBADFD || (ret == -EINTR && p->task->killed));
}

/* Reads all completions, as an honest process does. */
static void do_read(struct file *file)
{
	struct wsq_ring *ring = mapping(file, false);
	u64 n, most;

	if (!ring)
		return;
	n = ring->page->cq_head;
	most = n + ring->sizes.cq_entries;
	while (n < most && ring->cqes[n & ring->cq_mask].seq ==
			   (u32)(n / ring->sizes.cq_entries) + 1)
		n++;
	ring->page->cq_head = n;
}

static void do_poll(struct process *p, struct file *file)
{
	const u8 how = in_u8(&in);
	poll_table wait = {};
	__poll_t mask;

	file->refs++;
	current->state = TASK_INTERRUPTIBLE;
	mask = file->f_op->poll(file, &wait);
	if (!(mask & (EPOLLIN | EPOLLERR)) && !current->signal) {
		p->polls = file->private_data;
		p->poll_head = p->polls->page->cq_head;
		shim_sleep_until(how & 1 ? shim_clock + how * 1000 : SHIM_FOREVER);
		p->polls = NULL;
	}
	current->state = TASK_RUNNING;
	remove_wait_queue(wait.queue, &wait.entry);
	current->signal = current->killed;
	fput(file);
}

static void do_look(struct process *p, struct file *file)
{
	struct model *m = model_at(file->private_data);
	struct wsq_ring_stats st = { .size = sizeof(st) };
	struct wsq_stats all = { .size = sizeof(all) };
	struct wsq_query q = { .size = sizeof(q) };
	static struct seq_file text;
	const bool live = m->live;
	const u64 taken = m->taken, completed = m->completed;
	/* While entries are being taken, some may have completed. */
	const bool still = taken == completed && !m->ring->lock.owner;
	long ret;

	ret = call(p, file, WSQ_IOC_RING_STATS, &st, sizeof(st));
	MUST(ret == (live ? 0 : -EINVAL) || m->live != live);
	if (live) {
		MUST(st.completed <= st.submitted && st.submitted >= taken);
		MUST(st.submitted - st.completed <= m->cq);
		MUST(st.cancelled + st.failed <= st.completed);
		MUST(st.completed >= completed);
		if (still && !m->ring->lock.owner && m->taken == taken)
			model_stats(m, &st);
	}
	MUST(!call(p, file, WSQ_IOC_STATS, &all, sizeof(all)));
	MUST(!call(p, file, WSQ_IOC_QUERY, &q, sizeof(q)));
	MUST(all.rings <= MODELS && all.pollers <= MODELS && q.user_rings <= MODELS);
	text.len = 0;
	file->f_op->show_fdinfo(&text, file);
	MUST(!strncmp(text.text, "wsq_state:\t", 11));
}

static void do_close(unsigned int i)
{
	struct file *file = files[i];

	files[i] = NULL;
	if (file)
		fput(file);
}

/* Another process may write anything to its memory at any time. */
static void do_scribble(struct file *file, bool entries)
{
	struct wsq_ring *ring = mapping(file, entries);
	u64 at = in_u16(&in), word = in_number(&in, 64);

	if (!ring)
		return;
	if (entries)
		((u64 *)ring->sqes)[at % (8 * ring->sizes.sq_entries)] = word;
	else if (ring->sizes.arena)
		((u64 *)ring->arena)[at % (ring->sizes.arena / 8)] = word;
}

static void do_cursor(struct file *file, bool tail)
{
	struct wsq_ring *ring = mapping(file, false);
	u64 n;

	if (!ring)
		return;
	n = (tail ? ring->sq_head : ring->cq_head) + in_number(&in, 8);
	/* The model can record so many. */
	if (tail && n - ring->sq_head <= ring->sizes.sq_entries && n > ENTRIES)
		return;
	model_at(ring)->honest = false;
	WRITE_ONCE(*(tail ? &ring->page->sq_tail : &ring->page->cq_head), n);
}

static void do_signal(const struct process *p)
{
	struct process *o = &processes[!index_of(p)];
	const u8 how = in_u8(&in);

	if (!alive(o))
		return;
	o->task->signal = true;
	o->task->killed |= how == 99;
	/* Only a process that sleeps interruptibly. */
	if (o->task->state == TASK_INTERRUPTIBLE ||
	    (o->task->killed && o->task->state == TASK_KILLABLE))
		shim_wake(o->task);
}

static s64 probe_issue(const struct wsq_op_task *task)
{
	return model_probe(container_of(task->stop->stop_asked, struct wsq_req, stop_asked),
			   task);
}

static const struct wsq_op_def op_probe = {
	.name = "probe",
	.shape = WSQ_SHAPE_ARG,
	.cap = -1,
	.state_size = 2 * sizeof(u64),
	.issue = probe_issue,
};

/* The op's module unloads while there may be tasks. */
static void do_unregister(void)
{
	if (!ops_there)
		return;
	ops_there = false;
	ops_gone = true;
	ops_unregister();
	wsq_unregister_op(&op_probe);
}

static void act(struct process *p)
{
	const u8 what = in_u8(&in) % 24;
	const u8 which = in_u8(&in);
	const unsigned int i = which % FILES;
	struct wsq_enter e = { .timeout_ns = WSQ_NO_TIMEOUT };
	struct file *file;
	unsigned int n;

	/* Others may close a file during this action. */
	shim_action();
	file = files[i];
	if (!file) {
		do_open(p, i);
		file = files[i];
		if (!file)
			return;
		file->refs++;
		do_setup(p, file);
		fput(file);
		return;
	}
	/* It must exist for as long as it is used here. */
	file->refs++;
	switch (what) {
	case 0 ... 5:
		n = do_fill(file);
		if (what < 5) {
			e.to_submit = n;
			e.min_complete = which >> 7 ? n : 0;
			do_enter(p, file, &e);
		}
		do_wake(p, file);
		break;
	case 6 ... 7:
		do_read(file);
		do_wake(p, file);
		break;
	case 8:
		do_enter_any(p, file);
		break;
	case 9 ... 10:
		do_cancel(p, file);
		break;
	case 11:
		do_restrict(p, file);
		break;
	case 12:
		do_enable(p, file);
		break;
	case 13:
		do_setup(p, file);
		break;
	case 14:
		for (n = 0; n < which; n++)
			shim_relax();
		break;
	case 15:
		shim_clock += in_number(&in, 1 << 20) % 1000000000;
		break;
	case 16:
		do_poll(p, file);
		break;
	case 17:
		do_look(p, file);
		break;
	case 18:
		do_scribble(file, which & 128);
		break;
	case 19:
		do_cursor(file, which & 128);
		e.to_submit = which >> 4 & 7;
		do_enter(p, file, &e);
		break;
	case 20:
		holding = which & 128;
		shim_workers_hold(holding);
		break;
	case 21:
		do_signal(p);
		break;
	case 22:
		if (which == 77)
			do_unregister();
		else if (which & 128)
			shim_catch(in_u8(&in) & 7, which & 64);
		break;
	case 23:
		if (files[i] == file)
			do_close(i);
		break;
	}
	fput(file);
}

static int process_fn(void *arg)
{
	struct process *p = arg;

	while (in.n && !current->killed)
		act(p);
	return 0;
}

/* No fiber runs any more. Is that right? Returns true if this woke one. */
static bool settle(void)
{
	unsigned int i;
	bool woken = false;

	if (holding) {
		holding = false;
		shim_workers_hold(false);
		return true;
	}
	MUST(shim_workers_idle());
	for (i = 0; i < nr_models; i++)
		if (models[i].completed != models[i].taken)
			FAIL("ring %u: %llu taken, %llu completed, and all is quiet",
			     i, models[i].taken, models[i].completed);
	for (i = 0; i < nr_models; i++)
		model_polled(&models[i]);
	for (i = 0; i < PROCESSES; i++) {
		struct process *p = &processes[i];

		if (!alive(p))
			continue;
		if (p->call == WSQ_IOC_ENTER && p->error == MAY_WAIT)
			MUST(p->m->completed < p->head + p->min_complete);
		else if (p->polls)
			/* A process that moves cq_head back may hang. */
			MUST(p->polls->page->cq_head != p->poll_head ||
			     !(wsq_ring_poll(p->polls) & EPOLLIN));
		else
			FAIL("process %u waits in %x", i, p->call);
		p->task->signal = true;
		shim_wake(p->task);
		woken = true;
	}
	return woken;
}

static int exit_fn(void *arg)
{
	unsigned int i;

	for (i = 0; i < FILES; i++)
		do_close(i);
	do_unregister();
	wsq_ring_exit();
	shim_workers_stop();
	return 0;
}

static void begin(void)
{
	const u8 how = in_u8(&in);
	unsigned int i;

	models_clear();
	memset(&shim_memory, 0, sizeof(shim_memory));
	shim_memory.room = 64 << 20;
	shim_policy = how % 3;
	shim_begin(in_u16(&in), how & 4 ? in_u8(&in) : 0);
	for (i = 0; i < PROCESSES; i++)
		processes[i] = (struct process) {
			.call = NO_CALL,
			.cred = {
				.refs = 1,
				.uid = { i * 1000 },
				.euid = { i * 1000 },
				.caps = i ? 0 : ~0ULL,
				.user_ns = &init_user_ns,
			},
		};
	current->cred = &processes[0].cred;
	oracle_own = 3;
	wsq_op_next = WSQ_OP_REGISTERED;
	MUST(!shim_param_arena_max()->set("65536", NULL) && !wsq_ring_init());
	MUST(!ops_register() && wsq_register_op(&op_probe) == OP_PROBE);
	ops_there = true;
	holding = false;
	shim_workers_start(1 + (how >> 3) % 3);
	for (i = 0; i < PROCESSES; i++) {
		processes[i].task = shim_spawn(process_fn, &processes[i]);
		processes[i].task->cred = &processes[i].cred;
		processes[i].pid = processes[i].task->pid;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	unsigned int i;

	in.p = data;
	in.n = size;
	begin();
	do
		shim_run();
	while (settle());

	/* A file closed with tasks in flight must go without help. */
	shim_spawn(exit_fn, NULL);
	shim_run();
	shim_end();
	for (i = 0; i < nr_models; i++)
		if (models[i].live)
			model_check(&models[i]);
	MUST(!shim_memory.live && !shim_memory.pages && !shim_queues);
	MUST(init_user_ns.refs == 1);
	for (i = 0; i < PROCESSES; i++)
		MUST(processes[i].cred.refs == 1);
	return 0;
}
