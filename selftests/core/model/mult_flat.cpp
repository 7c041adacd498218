// SPDX-License-Identifier: GPL-2.0
/*
 * WS-MULT on a flat MaxRegister, in an array that grows. Shared parts, use and limitations:
 * mult_strict.h, main.h.
 */
#include "mult_strict.h"

struct mult_flat : strict_client<mult_flat, WSQ_TASKS_GROWING, WSQ_MAX_FLAT> {
};

CLIENT_MAIN(mult_flat)
