// SPDX-License-Identifier: GPL-2.0
/*
 * Figure 9 of the paper on the FIFO BWoS: fig9.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "fig9.h"

CLIENT_MAIN(fig9)
