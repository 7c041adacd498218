/* SPDX-License-Identifier: MIT OR LGPL-2.1 */
/*
 * TAP output for the tests of libwsq: CHECK() records a failure and goes on,
 * tap_case() runs one case and prints its line, tap_done() prints the plan.
 */
#ifndef LIBWSQ_TESTS_TAP_H
#define LIBWSQ_TESTS_TAP_H

#include <stdio.h>

static unsigned int tap_nr, tap_bad, tap_case_bad;

#define CHECK(cond) do {						\
	if (!(cond)) {							\
		printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
		tap_case_bad++;						\
	}								\
} while (0)

static inline void tap_case(const char *name, void (*fn)(void))
{
	tap_case_bad = 0;
	fn();
	tap_bad += tap_case_bad != 0;
	printf("%sok %u - %s\n", tap_case_bad ? "not " : "", ++tap_nr, name);
	fflush(stdout);
}

static inline int tap_done(void)
{
	printf("1..%u\n", tap_nr);
	return tap_bad != 0;
}

#endif /* LIBWSQ_TESTS_TAP_H */
