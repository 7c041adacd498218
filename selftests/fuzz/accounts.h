/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What setup.c knows of open files, and the users and accounts to which their
 * rings are charged, by the rules of ring.rst.
 */
#ifndef _WSQ_FUZZ_ACCOUNTS_H
#define _WSQ_FUZZ_ACCOUNTS_H

#include <kernel.h>
#include <uapi/linux/wsq.h>

#define FILES		4
#define CREDS		3
#define ACCOUNTS	3

/**
 * struct opened - an open file
 * @file: the file
 * @live: it has a ring
 * @setup: as SETUP returned it
 * @memory: bytes that it is charged for
 * @disabled: the ring is disabled
 * @cred: credentials of its opener
 * @maker: credentials of SETUP's caller
 */
struct opened {
	struct file *file;
	bool live;
	struct wsq_setup setup;
	u64 memory;
	bool disabled;
	unsigned int cred;
	unsigned int maker;
};

/* What the rings of an account take. */
struct account {
	u64 rings;
	u64 tasks;
	u64 memory;
};

extern struct cred creds[CREDS];
extern struct opened opened[FILES];

/* Number of the calling process's credentials. */
unsigned int caller(void);
/* Bits of the accounts to which the caller's rings are charged. */
unsigned int caller_accounts(void);
/* Likewise, of a ring with these makers' and openers' credentials. */
unsigned int ring_accounts(unsigned int maker, unsigned int opener);
/* What the open files have been charged; closed rings are freed. */
struct account account(unsigned int nr);
/* Does an account of the caller have no rings? */
bool first_ring(void);
/* Users that have rings. */
unsigned int nr_users(void);
/* The caller's user has no rings. */
bool new_user(void);

#endif /* _WSQ_FUZZ_ACCOUNTS_H */
