/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of tests in user space: NAME=NUMBER, in any order. For stress and
 * stall. Limitation: a value that is no number counts as 0.
 */
#ifndef _WSQ_SELFTESTS_OPTION_H
#define _WSQ_SELFTESTS_OPTION_H

#include <stdlib.h>
#include <string.h>

#include <wsq_platform.h>

/* Is @arg this option? Then sets @value. */
static inline bool option(const char *arg, const char *name, u64 *value)
{
	size_t n = strlen(name);

	if (strncmp(arg, name, n) || arg[n] != '=')
		return false;
	*value = strtoull(arg + n + 1, NULL, 0);
	return true;
}

#endif /* _WSQ_SELFTESTS_OPTION_H */
