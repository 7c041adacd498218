/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of polled rings: a process's side of the handshake, and
 * what the kernel shows of the thread.
 */
#ifndef WSQ_POLL_H
#define WSQ_POLL_H

#include "wsq_test.h"

#include <sched.h>
#include <stdbool.h>

#define SECOND		1000000U	/* in idle_us */
#define SHARE		(WSQ_SETUP_POLL | WSQ_SETUP_POLL_SHARE)

static inline int setup(int fd, unsigned int flags, unsigned int idle_us,
			int poll_fd, struct wsq_setup *s)
{
	s->size = sizeof(*s);
	s->flags |= flags;
	s->idle_us = idle_us;
	s->poll_fd = poll_fd;
	if (!s->sq_entries)
		s->sq_entries = 8;
	return ioctl(fd, WSQ_IOC_SETUP, s);
}

static inline void ring_poll(struct ring *r, unsigned int flags,
			     unsigned int idle_us, int poll_fd,
			     unsigned int sq, unsigned int cq)
{
	memset(r, 0, sizeof(*r));
	r->fd = dev_open();
	r->s.sq_entries = sq;
	r->s.cq_entries = cq;
	r->s.arena_size = 1 << 16;
	EXPECT_ERR(setup(r->fd, flags, idle_us, poll_fd, &r->s), 0);
	ring_map(r);
}

static inline void poll_open(struct ring *r, unsigned int idle_us,
			     unsigned int sq, unsigned int cq)
{
	ring_poll(r, WSQ_SETUP_POLL, idle_us, 0, sq, cq);
}

static inline void push_op(struct ring *r, unsigned int op, unsigned int flags,
			   uint64_t user_data)
{
	struct wsq_sqe sqe = {
		.op = op, .flags = flags, .user_data = user_data,
	};

	ring_push(r, &sqe);
}

/* Publishes the pushed entries to the thread. */
static inline void publish(struct ring *r)
{
	__atomic_store_n(&r->page->sq_tail, r->tail, __ATOMIC_RELEASE);
}

static inline uint64_t taken(struct ring *r)
{
	return __atomic_load_n(&r->page->sq_head, __ATOMIC_ACQUIRE);
}

/* The process's side of the handshake. */
static inline bool asleep(struct ring *r)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&r->page->flags, __ATOMIC_RELAXED) &
	       WSQ_RING_NEED_WAKEUP;
}

static inline int wake(struct ring *r, unsigned int submit)
{
	r->e = (struct wsq_enter) {
		.size = sizeof(r->e),
		.flags = WSQ_ENTER_WAKEUP,
		.to_submit = submit,
	};
	return ioctl(r->fd, WSQ_IOC_ENTER, &r->e) ? -errno : 0;
}

/* Publishes; wakes the thread if its flag is set. Returns whether it was. */
static inline bool submit(struct ring *r)
{
	publish(r);
	if (!asleep(r))
		return false;
	EXPECT_EQ(wake(r, 0), 0);
	EXPECT_EQ(r->e.submitted, 0);
	return true;
}

#define EVENTUALLY(cond) do {						\
	uint64_t end_ = now_ns() + TIMEOUT_S;				\
									\
	while (!(cond)) {						\
		if (now_ns() > end_)					\
			FAIL("never true: %s", #cond);			\
		usleep(100);						\
	}								\
} while (0)

/* The next completion, without a system call. */
static inline struct wsq_cqe await(struct ring *r)
{
	uint64_t end = now_ns() + TIMEOUT_S;

	while (!ring_peek(r)) {
		if (now_ns() > end)
			FAIL("no completion %llu",
			     (unsigned long long)r->head);
		sched_yield();
	}
	return ring_take(r);
}

static inline unsigned int pollers(void)
{
	struct wsq_stats st;

	module_stats(&st);
	return st.pollers;
}

/* A number from fdinfo; -1 if there is none, and the word if asked for. */
static inline long long fdinfo_at(const struct ring *r, const char *name,
				  char word[32])
{
	char path[64], line[128], *at, text[32];
	long long ret = -1;
	FILE *f;
	int fits;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", r->fd);
	f = fopen(path, "r");
	EXPECT(f);
	while (fgets(line, sizeof(line), f)) {
		at = strchr(line, ':');
		if (!at || strncmp(line, name, at - line) ||
		    name[at - line])
			continue;
		fits = sscanf(at + 1, "%31s", text);
		EXPECT_EQ(fits, 1);
		ret = strtoll(text, NULL, 10);
		if (word)
			strcpy(word, text);
	}
	fclose(f);
	return ret;
}

#endif /* WSQ_POLL_H */
