// SPDX-License-Identifier: GPL-2.0
/*
 * Users and accounts of the rings that setup.c has made: see accounts.h.
 */
#include "accounts.h"

#include <ring/ring.h>
#include <ring/user.h>

struct cred creds[CREDS];
struct opened opened[FILES];

/*
 * Accounts, a bit each, by credentials: root's, that of uid 1000, and that of the
 * namespace, which root has made. A caller there is charged by its uid, too, and
 * an opener without capabilities as well.
 */
static const unsigned int of_caller[CREDS] = { BIT(0), BIT(1), BIT(2) | BIT(1) };
static const unsigned int of_opener[CREDS] = { 0, BIT(1), BIT(2) };

unsigned int ring_accounts(unsigned int maker, unsigned int opener)
{
	return of_caller[maker] | of_opener[opener];
}

unsigned int caller_accounts(void)
{
	return of_caller[caller()];
}

struct account account(unsigned int nr)
{
	struct account a = {};
	unsigned int i;

	for (i = 0; i < FILES; i++) {
		const struct opened *o = &opened[i];

		if (!o->live || !(ring_accounts(o->maker, o->cred) & BIT(nr)))
			continue;
		a.rings++;
		a.tasks += o->setup.cq_entries;
		a.memory += o->memory;
	}
	if (a.rings)
		a.memory += wsq_user_bytes();
	return a;
}

unsigned int caller(void)
{
	return current->cred - creds;
}

bool first_ring(void)
{
	unsigned int i;

	for (i = 0; i < ACCOUNTS; i++)
		if (caller_accounts() & BIT(i) && !account(i).rings)
			return true;
	return false;
}

unsigned int nr_users(void)
{
	unsigned int i, k, nr = 0;

	for (i = 0; i < FILES; i++) {
		for (k = 0; k < i; k++)
			if (opened[k].live && opened[k].maker == opened[i].maker)
				break;
		nr += opened[i].live && k == i;
	}
	return nr;
}

bool new_user(void)
{
	unsigned int i;

	for (i = 0; i < FILES; i++)
		if (opened[i].live && opened[i].maker == caller())
			return false;
	return true;
}
