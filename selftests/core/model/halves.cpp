// SPDX-License-Identifier: GPL-2.0
/*
 * Thieves of the FIFO BWoS that sleep for long: halves.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "halves.h"

CLIENT_MAIN(halves)
