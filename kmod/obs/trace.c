// SPDX-License-Identifier: GPL-2.0
/*
 * Defines the tracepoints of include/trace/events/wsq.h.
 */
#define CREATE_TRACE_POINTS
#include <trace/events/wsq.h>
