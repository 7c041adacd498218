// SPDX-License-Identifier: GPL-2.0
/*
 * A LIFO BWoS that grows at any moment: grow_halves.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "grow_halves.h"

CLIENT_MAIN(grow_halves)
