// SPDX-License-Identifier: GPL-2.0
/*
 * A LIFO BWoS grows under thieves that read before they claim: lifo_grow.h.
 */
#define WSQ_SHIM_READ_FIRST

#include "lifo_grow.h"

CLIENT_MAIN(lifo_grow)
