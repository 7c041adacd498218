// SPDX-License-Identifier: GPL-2.0
/*
 * WS-MULT on the tree of switches, in an array that grows. Shared parts, use and limitations:
 * mult_strict.h, main.h.
 */
#include "mult_strict.h"

struct mult_tree : strict_client<mult_tree, WSQ_TASKS_GROWING, WSQ_MAX_TREE> {
};

CLIENT_MAIN(mult_tree)
