// SPDX-License-Identifier: GPL-2.0
/*
 * Thieves of the LIFO BWoS that sleep for long: halves.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "halves.h"

CLIENT_MAIN(halves)
