// SPDX-License-Identifier: GPL-2.0
/*
 * A LIFO BWoS grows under thieves that claim, read and count: lifo_grow.h.
 */
#include "lifo_grow.h"

CLIENT_MAIN(lifo_grow)
