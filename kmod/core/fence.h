/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The asymmetric fence: one side pays for both.
 *
 * For: pairs of which one side runs often and the other seldom. The frequent
 * side executes wsq_fence_light(), which stops the compiler and nothing else;
 * the rare side executes wsq_fence_heavy(), which makes each CPU of a set
 * execute a full barrier, wherever it happens to be. Its user is a thief that
 * displaces the owner of a chunk (scenario D): salsa.h.
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
 *				In task context with interrupts on, in a section
 *				or not, nowhere else (two that wait for each
 *				other with interrupts off wait for ever), with
 *				no lock held that any CPU may wait for with
 *				interrupts off; it may spin, never sleeps or
 *				allocates. Bit b of word w stands for CPU
 *				64 * w + b; nobody changes the words meanwhile.
 *	wsq_fence_call_init(call)
 *				Prepare a struct wsq_fence_call, once.
 *	wsq_fence_start(call, cpu)
 *				Begin a heavy fence of one CPU and go on. Any
 *				context but NMI, inside of sections or outside,
 *				interrupts on or off; it never spins.
 *	wsq_fence_done(call)	Is it through? Once it says so the call may be
 *				started anew or freed; not before. Any context.
 *	wsq_fence_reaches(cpu)	May this CPU be disturbed? If not, what runs
 *				there is no light side: it executes smp_mb(),
 *				and its bit never stands in a set.
 *
 * Contract: for each CPU of the set there is a point in what it executes, not
 * before the call of wsq_fence_heavy() and not after its return, at which it
 * executes a full barrier. The call orders that point behind all that precedes
 * the call and before all that follows the return; the call is a full barrier
 * for its caller as well, be the set empty or not. From wsq_fence_start() to the
 * wsq_fence_done() that is true is one such call, of one CPU; what its caller does
 * in between has no order.
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
 *
 * Scenario D: displacement. The owner of a chunk of tasks takes them one after
 * the other without a barrier, until a thief makes the chunk its own. Tasks come
 * in order, from a producer; a slot without one is empty.
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
 *	Forbidden: two get a task, or nobody does. What the thief calls its own
 *	it takes without looking at the owner again, as the owner did.
 *
 *	The interrupt finds the owner in one of six places:
 *
 *	1. Before it reads the slot. Check 1 is behind the handler, hence behind
 *	   the compare-and-exchange: it fails, and the index stays. n == i.
 *	2. Between the slot and check 1: as 1. The task that the owner saw it
 *	   leaves to the thief.
 *	3. Between check 1 and the index. The index is announced behind the
 *	   handler, so the thief may miss it: n is i or i + 1. Check 2 fails.
 *	   The slot was read before the handler, so that the thief, if n == i,
 *	   finds the task there, too, and both compare and exchange. Without
 *	   check 1 the owner could have read it behind the handler, of a slot
 *	   that the thief found empty and calls its own.
 *	4. Between the index and check 2. n == i + 1, check 2 fails, and the
 *	   owner's compare-and-exchange has no rival. Without the fence tasks
 *	   are taken twice here: the index still in the store buffer, the owner
 *	   word read as it was.
 *	5. Between check 2 and the take, which may be plain: n == i + 1, so that
 *	   the thief keeps off that slot. Were the index stored behind check 2,
 *	   n could be i.
 *	6. Behind the take, or behind wherever the owner left: all of this is
 *	   visible to the thief.
 *	litmus/salsa-fence.litmus, a step for each place
 *
 *	So behind the fence the index moves once more at most (place 3), and a
 *	second time only for the next owner. That the owner word never returns
 *	to what it was, and that no slot is used for another task while somebody
 *	is between check 2 and the take, is for whoever reuses chunks.
 */
#ifndef _WSQ_CORE_FENCE_H
#define _WSQ_CORE_FENCE_H

#include <wsq_platform.h>
#include <wsq_fence.h>

#define WSQ_FENCE_WORD_BITS	64

#endif /* _WSQ_CORE_FENCE_H */
