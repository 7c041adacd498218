/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of wsq: /sys/kernel/tracing/events/wsq. kmod/obs/hist.c attaches
 * to them too. Cost of each while nothing is attached: a nop.
 * Documentation/observability.rst says when each fires.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM wsq

#if !defined(_TRACE_WSQ_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_WSQ_H

#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

#ifndef WSQ_TRACE_NAME_LEN
#define WSQ_TRACE_NAME_LEN	32
#endif

/* An item is about to be put. @cpu is the requested CPU, or -1 for any. */
TRACE_EVENT(wsq_queue,
	    TP_PROTO(const char *queue, const void *work, const void *function,
		     int cpu),
	    TP_ARGS(queue, work, function, cpu),
	    TP_STRUCT__entry(__array(char, queue, WSQ_TRACE_NAME_LEN)
			     __field(const void *, work)
			     __field(const void *, function)
			     __field(int, cpu)),
	    TP_fast_assign(strscpy(__entry->queue, queue, WSQ_TRACE_NAME_LEN);
			   __entry->work = work;
			   __entry->function = function;
			   __entry->cpu = cpu;),
	    TP_printk("queue=%s work=%p function=%ps cpu=%d", __entry->queue,
		      __entry->work, __entry->function, __entry->cpu));

DECLARE_EVENT_CLASS(wsq_execute,
		    TP_PROTO(const char *queue, const void *work, const void *function,
			     unsigned int cpu),
		    TP_ARGS(queue, work, function, cpu),
		    TP_STRUCT__entry(__array(char, queue, WSQ_TRACE_NAME_LEN)
				     __field(const void *, work)
				     __field(const void *, function)
				     __field(unsigned int, cpu)),
		    TP_fast_assign(strscpy(__entry->queue, queue, WSQ_TRACE_NAME_LEN);
				   __entry->work = work;
				   __entry->function = function;
				   __entry->cpu = cpu;),
		    TP_printk("queue=%s work=%p function=%ps cpu=%u", __entry->queue,
			      __entry->work, __entry->function, __entry->cpu));

/* An item's function is about to be called. */
DEFINE_EVENT(wsq_execute, wsq_execute_start,
	     TP_PROTO(const char *queue, const void *work, const void *function,
		      unsigned int cpu),
	     TP_ARGS(queue, work, function, cpu));

/* The function has returned and may have freed @work: do not dereference it. */
DEFINE_EVENT(wsq_execute, wsq_execute_end,
	     TP_PROTO(const char *queue, const void *work, const void *function,
		      unsigned int cpu),
	     TP_ARGS(queue, work, function, cpu));

/* @cpu has stolen @nr items from @victim. */
TRACE_EVENT(wsq_steal,
	    TP_PROTO(const char *queue, unsigned int cpu, unsigned int victim,
		     unsigned int distance, int nr),
	    TP_ARGS(queue, cpu, victim, distance, nr),
	    TP_STRUCT__entry(__array(char, queue, WSQ_TRACE_NAME_LEN)
			     __field(unsigned int, cpu)
			     __field(unsigned int, victim)
			     __field(unsigned int, distance)
			     __field(int, nr)),
	    TP_fast_assign(strscpy(__entry->queue, queue, WSQ_TRACE_NAME_LEN);
			   __entry->cpu = cpu;
			   __entry->victim = victim;
			   __entry->distance = distance;
			   __entry->nr = nr;),
	    TP_printk("queue=%s cpu=%u victim=%u distance=%s nr=%d",
		      __entry->queue, __entry->cpu, __entry->victim,
		      __print_symbolic(__entry->distance, { 0, "smt" },
				       { 1, "cache" }, { 2, "node" },
				       { 3, "remote" }),
		      __entry->nr));

DECLARE_EVENT_CLASS(wsq_parking,
		    TP_PROTO(unsigned int cpu),
		    TP_ARGS(cpu),
		    TP_STRUCT__entry(__field(unsigned int, cpu)),
		    TP_fast_assign(__entry->cpu = cpu;),
		    TP_printk("cpu=%u", __entry->cpu));

/* A CPU's worker goes to sleep because it found no items. */
DEFINE_EVENT(wsq_parking, wsq_park,
	     TP_PROTO(unsigned int cpu),
	     TP_ARGS(cpu));

/* A CPU's worker is awake again. */
DEFINE_EVENT(wsq_parking, wsq_unpark,
	     TP_PROTO(unsigned int cpu),
	     TP_ARGS(cpu));

/*
 * An item has waited for @ms milliseconds. @function is the function that the
 * CPU's worker @pid runs, %NULL if it runs none.
 */
TRACE_EVENT(wsq_stall,
	    TP_PROTO(const char *queue, const void *function, unsigned int cpu,
		     int pid, unsigned int ms),
	    TP_ARGS(queue, function, cpu, pid, ms),
	    TP_STRUCT__entry(__array(char, queue, WSQ_TRACE_NAME_LEN)
			     __field(const void *, function)
			     __field(unsigned int, cpu)
			     __field(int, pid)
			     __field(unsigned int, ms)),
	    TP_fast_assign(strscpy(__entry->queue, queue, WSQ_TRACE_NAME_LEN);
			   __entry->function = function;
			   __entry->cpu = cpu;
			   __entry->pid = pid;
			   __entry->ms = ms;),
	    TP_printk("queue=%s function=%ps cpu=%u pid=%d ms=%u",
		      __entry->queue, __entry->function, __entry->cpu,
		      __entry->pid, __entry->ms));

#endif /* _TRACE_WSQ_H */

#include <trace/define_trace.h>
