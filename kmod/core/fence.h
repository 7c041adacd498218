/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The asymmetric fence: one side pays for both.
 *
 * For: pairs of which one side runs often and the other seldom. The frequent
 * side executes wsq_fence_light(), which stops the compiler and nothing else;
 * the rare side executes wsq_fence_heavy(), which makes each CPU of a set
 * execute a full barrier, wherever it happens to be. parking.h is the user.
 *
 * Only the contract is here. The hooks come from the platform through
 * <wsq_fence.h>, found by the include path: kmod/compat in the module (an
 * interrupt to each CPU), shim/native and shim/threads in user space
 * (membarrier), shim/relacy in the model checker.
 *
 *	wsq_fence_begin()	The caller stays on its CPU from here
 *	wsq_fence_end()		to here. Sections nest, in interrupts too.
 *	wsq_fence_light()	Inside a section. For the compiler.
 *	wsq_fence_heavy(cpus, nr_words)
 *				Outside of sections, in task context with
 *				interrupts on; it may spin, never sleeps or
 *				allocates. Bit b of word w stands for CPU
 *				64 * w + b; the words are the caller's alone.
 *	wsq_fence_reaches(cpu)	May this CPU be disturbed? If not, what runs
 *				there is no light side: it executes smp_mb(),
 *				and its bit never stands in a set.
 *
 * Contract: for each CPU of the set there is a point in what it executes, not
 * before the call of wsq_fence_heavy() and not after its return, at which it
 * executes a full barrier. The call orders that point behind all that precedes
 * the call and before all that follows the return; the call is a full barrier
 * for its caller as well, be the set empty or not.
 *
 * Scenario A: store buffering, of which parking is one.
 *
 *	heavy side		light side, on a CPU of the set
 *	----------		----------
 *				begin()
 *	x = 1			y = 1
 *	heavy(set)		light()
 *	r1 = y			r2 = x
 *				end()
 *
 *	Forbidden: r1 == 0 and r2 == 0. If the point is before "r2 = x", that
 *	load is behind x = 1 and reads 1. If not, it is behind "y = 1", which
 *	is then before "r1 = y". light() keeps the compiler from turning the
 *	two accesses round, which would put the point between "r2 = x" and
 *	"y = 1", where it does no good.
 *
 * Scenario B: why a section stays on its CPU.
 *
 *	heavy side		light side
 *	----------		----------
 *				y = 1			on CPU 1
 *	x = 1
 *	heavy({ CPU 1 })				(moves to CPU 2)
 *	r1 = y			r2 = x			on CPU 2
 *
 *	The scheduler's barriers make this one safe, but the set would have to
 *	name CPU 2 for the light side's next pair. A light side enters itself
 *	into the set as the CPU that it is on, and must still be there when the
 *	set is used: the section lasts from before the first access to behind
 *	the last one, the entry included.
 *
 * Scenario C: the CPU is offline.
 *
 *	heavy side		light side, on CPU 1
 *	----------		----------
 *				begin(); y = 1; light(); r2 = x; end()
 *				CPU 1 goes offline
 *	x = 1
 *	heavy({ CPU 1 })
 *	r1 = y
 *
 *	Nobody is there to be interrupted. An offline CPU is in no section, and
 *	the platform owes the order of the way down: what CPU 1 did before it
 *	went is visible to whoever finds it offline. Each platform argues it.
 */
#ifndef _WSQ_CORE_FENCE_H
#define _WSQ_CORE_FENCE_H

#include <wsq_platform.h>
#include <wsq_fence.h>

#define WSQ_FENCE_WORD_BITS	64

#endif /* _WSQ_CORE_FENCE_H */
