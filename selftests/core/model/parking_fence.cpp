// SPDX-License-Identifier: GPL-2.0
/*
 * parking_remote.cpp with the fence as it is in the kernel: a put has no order
 * but where an interrupt reaches it. So an empty heavy fence and an exchange in
 * the wrong place, which smp_mb() in each put would hide, are found here.
 *
 * Limitations: the interrupt comes before, at the light fence or behind a put:
 * litmus/parking-fence.litmus has all five places. The worker waits for it in
 * a loop: at random only. Use and other limitations: main.h.
 */
#define WSQ_FENCE_BY_HAND
#include "parking_remote.cpp"
