// SPDX-License-Identifier: GPL-2.0
/*
 * parking_remote.cpp with a second CPU that may not be interrupted, which pays
 * smp_mb() with each put. Use and limitations: main.h.
 */
#define ISOLATED	true
#include "parking_remote.cpp"
