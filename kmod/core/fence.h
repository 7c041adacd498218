/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The asymmetric fence: one side pays for both.
 *
 * For pairs of which one side runs often and the other seldom. The frequent
 * side executes wsq_fence_light(), which is a compiler barrier only. The rare
 * side executes wsq_fence_heavy(), which makes each CPU of a set execute a full
 * barrier, whatever it runs. Its user is a thief that displaces the owner of a
 * chunk (scenario D): salsa.h.
 *
 * Only the contract is here. The platform supplies the hooks through
 * <wsq_fence.h>, found by the include path: kmod/compat in the module (an
 * interrupt to each CPU), shim/native and shim/threads in user space
 * (membarrier), shim/relacy in the model checker.
 *
 *	wsq_fence_begin()	The caller stays on its CPU from here
 *	wsq_fence_end()		to here. Sections nest, in interrupts too.
 *	wsq_fence_light()	Inside a section. A compiler barrier.
 *	wsq_fence_heavy(cpus, nr_words)
 *				Only in task context with interrupts on, in a
 *				section or not: two callers that wait for each
 *				other with interrupts off would deadlock. No
 *				lock may be held that any CPU may wait for with
 *				interrupts off. May spin, never sleeps or
 *				allocates. Bit b of word w stands for CPU
 *				64 * w + b; the words must not change during
 *				the call.
 *	wsq_fence_call_init(call)
 *				Initialize a struct wsq_fence_call, once.
 *	wsq_fence_start(call, cpu)
 *				Begin a heavy fence of one CPU and return. Any
 *				context but NMI, inside of sections or outside,
 *				interrupts on or off; it never spins.
 *	wsq_fence_done(call)	Has the fence completed? Only then may the call
 *				be started anew or freed. Any context.
 *	wsq_fence_reaches(cpu)	May this CPU be interrupted? If not, code that
 *				runs there is no light side: it executes
 *				smp_mb(), and its bit is never in a set.
 *
 * Contract: for each CPU of the set there is a point in its execution, between
 * the call of wsq_fence_heavy() and its return, at which it executes a full
 * barrier. The call orders that point behind all that precedes the call and
 * before all that follows the return. The call is a full barrier for its caller
 * as well, even if the set is empty. wsq_fence_start() up to the
 * wsq_fence_done() that returns true is one such call, of one CPU; what its
 * caller does in between has no order.
 *
 * Scenario A: store buffering.
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
 *	is then before "r1 = y". light() keeps the compiler from reordering the
 *	two accesses, which would allow the point between "r2 = x" and "y = 1",
 *	where it orders neither.
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
 *	name CPU 2 for the light side's next pair. A light side enters its
 *	current CPU into the set, and must still be there when the set is used.
 *	So the section lasts from before the first access to behind the last
 *	one, and includes the entering into the set.
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
 *	There is no CPU to interrupt. An offline CPU is in no section, and the
 *	platform must order the way down: what CPU 1 did before it went offline
 *	is visible to a CPU that finds it offline. Each platform shows why.
 *
 * Scenario D: displacement. The owner of a chunk of tasks takes them one after
 * the other without a barrier, until a thief makes the chunk its own. Tasks
 * come in order, from a producer; a slot without a task is empty.
 *
 *	thief				owner, in a section, its CPU in the set
 *	-----				-----
 *					i = idx
 *					task = slot[i], none? leave
 *	cmpxchg(owner, mine, thief's)	owner == mine? (check 1) if not, leave
 *	heavy(set)			idx = i + 1
 *	n = idx				light()
 *	task = slot[n]			owner == mine? (check 2)
 *	is there? cmpxchg(slot[n],	yes: slot[n] = TAKEN
 *	    task, TAKEN)		no: cmpxchg(slot[i], task, TAKEN), leave
 *	none? slot[n] is the first
 *	of mine to take, else n + 1
 *
 *	Forbidden: two contexts get a task, or none does. The thief takes what
 *	it calls its own without looking at the owner again, as the owner did.
 *
 *	The interrupt finds the owner at one of six points:
 *
 *	1. Before it reads the slot. Check 1 is behind the handler, hence behind
 *	   the compare-and-exchange: it fails, and the index stays. n == i.
 *	2. Between the slot and check 1: as 1. The owner leaves the task that it
 *	   saw to the thief.
 *	3. Between check 1 and the index. The index is stored behind the
 *	   handler, so the thief may miss it: n is i or i + 1. Check 2 fails.
 *	   The slot was read before the handler. So if n == i, the thief finds
 *	   the task there, too, and both compare and exchange. Without check 1
 *	   the owner could have read, behind the handler, a slot that the thief
 *	   found empty and calls its own.
 *	4. Between the index and check 2. n == i + 1, check 2 fails, and the
 *	   owner's compare-and-exchange has no rival. Without the fence tasks
 *	   are taken twice here: the index is still in the store buffer, and the
 *	   owner word is read unchanged.
 *	5. Between check 2 and the take, which may be plain: n == i + 1, so the
 *	   thief does not touch that slot. If the index were stored behind check
 *	   2, n could be i.
 *	6. Behind the take, or behind the point where the owner left: all of
 *	   this is visible to the thief.
 *	litmus/salsa-fence.litmus, a step for each point
 *
 *	So behind the fence the index moves once more at most (point 3), and a
 *	second time only for the next owner. Code that reuses chunks must ensure
 *	that the owner word never returns to an earlier value, and that no slot
 *	is used for another task while an owner is between check 2 and the take.
 */
#ifndef _WSQ_CORE_FENCE_H
#define _WSQ_CORE_FENCE_H

#include <wsq_platform.h>
#include <wsq_fence.h>

#define WSQ_FENCE_WORD_BITS	64

#endif /* _WSQ_CORE_FENCE_H */
