/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <kunit/test.h>: cases have a speed since 6.7. Older kernels run slow cases
 * with all others. Generators of parameters know the test since 6.18.
 */
#ifndef _WSQ_COMPAT_KUNIT_H
#define _WSQ_COMPAT_KUNIT_H

#include <kunit/test.h>

#ifndef KUNIT_CASE_SLOW
#define KUNIT_CASE_SLOW(name)	KUNIT_CASE(name)
#endif

/* A slow case with a parameter. */
#ifdef KUNIT_CASE_PARAM_ATTR
#define WSQ_KUNIT_PARAM_SLOW(name, gen)	\
	KUNIT_CASE_PARAM_ATTR(name, gen, { .speed = KUNIT_SPEED_SLOW })
#else
#define WSQ_KUNIT_PARAM_SLOW(name, gen)	KUNIT_CASE_PARAM(name, gen)
#endif

/* The arguments of a function that generates parameters. */
#ifdef KUNIT_CASE_PARAM_WITH_INIT
#define WSQ_KUNIT_GEN_ARGS	struct kunit *test, const void *prev, char *desc
#else
#define WSQ_KUNIT_GEN_ARGS	const void *prev, char *desc
#endif

#endif /* _WSQ_COMPAT_KUNIT_H */
