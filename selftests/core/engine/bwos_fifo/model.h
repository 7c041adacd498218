/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included first by a client of the model checker for this engine: Relacy,
 * main() and the sources, which are compiled with the client.
 */
#ifndef _WSQ_SELFTESTS_ENGINE_MODEL_H
#define _WSQ_SELFTESTS_ENGINE_MODEL_H

#include "../../model/main.h"

#include "bwos_fifo.c"

#include "engine.h"

#endif /* _WSQ_SELFTESTS_ENGINE_MODEL_H */
