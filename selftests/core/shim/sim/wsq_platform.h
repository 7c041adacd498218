/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The platform for kmod/core in the simulator: the native shim's types and
 * accessors, which -fsanitize=thread turns into calls of the simulator.
 *
 * Producer and consumer of a CPU are one fiber and its interrupts, so local
 * accesses are plain, as in the kernel. For: selftests/core/sim. Limitations:
 * the barrier is a call, because the compiler does not instrument inline
 * assembly.
 */
#ifndef _WSQ_SIM_PLATFORM_H
#define _WSQ_SIM_PLATFORM_H

#include "../../sim/sim.h"

#define smp_mb()	sim_mb()

#include "../native/wsq_platform.h"

#endif /* _WSQ_SIM_PLATFORM_H */
