// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * libwsq: the inline functions of libwsq.h as exported functions.
 *
 * For languages that cannot include a C header. They are compiled from the same
 * source lines; wsq_submit() is in ring.c. Cost: a call. C programs pay
 * nothing: their linker does not pull this file out of the archive.
 */
#include <errno.h>
#include <linux/wsq.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All headers are included by now, so these macros affect libwsq.h only. */
#define static
#define inline

/* libwsq.h defines these functions instead of declaring them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#include "libwsq.h"
