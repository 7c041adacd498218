/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debug objects: an item is active while it is pending. A kernel with
 * CONFIG_DEBUG_OBJECTS_WORK reports one that is freed or initialised then.
 */
#ifndef _WSQ_EXEC_DEBUG_H
#define _WSQ_EXEC_DEBUG_H

#include <linux/wsq.h>

#ifdef CONFIG_DEBUG_OBJECTS_WORK
void wsq_debug_activate(struct wsq_work *work);
void wsq_debug_deactivate(struct wsq_work *work);
#else
static inline void wsq_debug_activate(struct wsq_work *work)
{
}

static inline void wsq_debug_deactivate(struct wsq_work *work)
{
}
#endif

#endif /* _WSQ_EXEC_DEBUG_H */
