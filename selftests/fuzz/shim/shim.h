/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the harness may ask of the shim beyond the kernel's interface.
 */
#ifndef _WSQ_FUZZ_SHIM_H
#define _WSQ_FUZZ_SHIM_H

#include "kernel.h"

/**
 * struct shim_memory - allocations, all counts of this input
 * @live: objects not freed
 * @pages: pages not freed
 * @charged: bytes charged to a user, so far
 * @room: bytes available; beyond that, -ENOMEM
 * @fail: this allocation fails, counted from 1; 0 for none
 * @failed: some allocation failed, for either reason
 */
struct shim_memory {
	long live;
	long pages;
	u64 charged;
	u64 room;
	unsigned long fail;
	bool failed;
};

extern struct shim_memory shim_memory;

/* Memory of processes: returns the address of segment @i. */
#define SHIM_USER	0x40000000UL
#define SHIM_USER_STEP	0x1000000UL
#define SHIM_USERS	16
u64 shim_user_set(unsigned int i, void *data, size_t len);

extern struct miscdevice *shim_misc;
extern struct notifier_block *shim_notifier;

/* For the harness: an open file; called before its last reference goes. */
struct file *shim_fd(unsigned int fd);
void shim_file_closing(struct file *file);
/* For the harness: memory has been freed. */
void shim_freed(const void *p);

/* In which order the simulated workers take items. */
enum shim_policy {
	SHIM_FIFO,
	SHIM_LIFO,
	SHIM_RANDOM,
};

extern unsigned int shim_policy;
/* Workers sleep while this is set. */
void shim_workers_hold(bool hold);
void shim_workers_start(unsigned int nr);
/* Everything is to end. */
void shim_workers_stop(void);
bool shim_workers_idle(void);
/* The same for the workqueue. */
bool shim_works_idle(void);
extern u32 shim_queues;

/* module_param(): each returns its operations. */
const struct kernel_param_ops *shim_param_max_users(void);
void *shim_param_max_opener_users(void);
void *shim_param_max_user_rings(void);
void *shim_param_max_user_tasks(void);
void *shim_param_max_user_memory(void);
const struct kernel_param_ops *shim_param_arena_max(void);

/* kmod/ring */
int wsq_ring_init(void);
void wsq_ring_exit(void);

#endif /* _WSQ_FUZZ_SHIM_H */
