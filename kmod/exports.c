// SPDX-License-Identifier: GPL-2.0
/*
 * Exports of kmod/core for the KUnit suites; core itself knows nothing of
 * modules. Compiled only with KUnit.
 */
#include "compat/export.h"
#include "core/bwos_fifo.h"
#include "core/bwos_lifo.h"
#include "core/salsa.h"

WSQ_EXPORT_KUNIT(wsq_bwos_fifo_init);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_put_slow);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_get_slow);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_put_many);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_get_many);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_steal_at);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_steal);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_sample);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_empty);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_attach);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_detach);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_open);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_claim_slow);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_steal_claim);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_steal_claim_at);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_take_kept);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_remove);
WSQ_EXPORT_KUNIT(wsq_bwos_fifo_waiting);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_init);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_attach);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_extend);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_detach);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_put_slow);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_get_slow);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_put_many);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_get_many);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_publish);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_steal_at);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_steal);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_empty);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_published);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_short);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_waiting);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_open);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_claim_slow);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_claim_oldest);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_remove);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_steal_active);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_sample);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_steal_claim);
WSQ_EXPORT_KUNIT(wsq_bwos_lifo_steal_claim_at);
WSQ_EXPORT_KUNIT(wsq_salsa_contend);
WSQ_EXPORT_KUNIT(wsq_salsa_get_slow);
