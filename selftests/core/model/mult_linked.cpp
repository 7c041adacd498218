// SPDX-License-Identifier: GPL-2.0
/*
 * WS-MULT on a flat MaxRegister, in linked arrays. Shared parts, use and limitations:
 * mult_strict.h, main.h.
 */
#include "mult_strict.h"

struct mult_linked : strict_client<mult_linked, WSQ_TASKS_LINKED, WSQ_MAX_FLAT> {
};

CLIENT_MAIN(mult_linked)
