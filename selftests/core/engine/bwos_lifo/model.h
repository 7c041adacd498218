/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a client of the model checker includes first to be this engine's: Relacy,
 * main() and the sources, which are compiled with the client.
 */
#ifndef _WSQ_SELFTESTS_ENGINE_MODEL_H
#define _WSQ_SELFTESTS_ENGINE_MODEL_H

#include "../../model/main.h"

#include "bwos_lifo.c"
#include "bwos_lifo_steal.c"

#include "engine.h"

#endif /* _WSQ_SELFTESTS_ENGINE_MODEL_H */
