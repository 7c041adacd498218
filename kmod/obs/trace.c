// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints themselves (include/trace/events/wsq.h).
 */
#define CREATE_TRACE_POINTS
#include <trace/events/wsq.h>
