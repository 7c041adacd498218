// SPDX-License-Identifier: GPL-2.0
/*
 * A FIFO BWoS that grows at any moment: grow_halves.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "grow_halves.h"

CLIENT_MAIN(grow_halves)
