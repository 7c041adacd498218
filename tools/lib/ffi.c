// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * libwsq: the inline functions of libwsq.h once more, to be called.
 *
 * For languages that cannot include a C header. They are the same functions,
 * compiled from the same lines; wsq_submit() is in ring.c. Cost: a call, and
 * nothing for C programs, whose linker leaves this file of the archive alone.
 */
#include <errno.h>
#include <linux/wsq.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All that the header includes is there: these words are now its own alone. */
#define static
#define inline

/* They are defined where others are declared. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#include "libwsq.h"
