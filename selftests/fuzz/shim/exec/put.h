/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replaces kmod/exec/put.h: what kmod/serial needs of it.
 */
#ifndef _WSQ_EXEC_PUT_H
#define _WSQ_EXEC_PUT_H

#include "exec.h"

enum wsq_site {
	WSQ_ON_CPU,
	WSQ_NEAR_CPU,
	WSQ_NEAR_NODE,
	WSQ_ON_IDLE,
	WSQ_BEHIND,
};

bool wsq_admits(const struct wsq *q);
bool wsq_dying(const struct wsq *q);
struct wsq_work *wsq_current_running(wsq_func_t func);
void wsq_put_owed(struct wsq *q, struct wsq_work *work, enum wsq_site site, int nr);

#endif /* _WSQ_EXEC_PUT_H */
