// SPDX-License-Identifier: GPL-2.0
/*
 * Debug objects, and items on the stack. See debug.h.
 */
#include <linux/debugobjects.h>
#include <linux/hardirq.h>

#include "../compat/export.h"
#include "../compat/timer.h"
#include "debug.h"

#ifdef CONFIG_DEBUG_OBJECTS_WORK

static void *wsq_debug_hint(void *addr)
{
	return ((struct wsq_work *)addr)->func;
}

/* An item of DECLARE_WSQ_WORK() is never initialised at run time. */
static bool wsq_debug_is_static(void *addr)
{
	return READ_ONCE(((struct wsq_work *)addr)->state) & WSQ_WORK_STATIC;
}

static bool wsq_debug_fixup_init(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	wsq_cancel_work(addr);
	return true;
}

static const struct debug_obj_descr wsq_debug_descr = {
	.name			= "wsq_work",
	.debug_hint		= wsq_debug_hint,
	.is_static_object	= wsq_debug_is_static,
	.fixup_init		= wsq_debug_fixup_init,
	.fixup_free		= wsq_debug_fixup_init,
};

/* Not in an NMI: debug objects take locks that it may have interrupted. */
void wsq_debug_activate(struct wsq_work *work)
{
	if (!in_nmi())
		debug_object_activate(work, &wsq_debug_descr);
}

void wsq_debug_deactivate(struct wsq_work *work)
{
	debug_object_deactivate(work, &wsq_debug_descr);
}
#endif

void __wsq_init_work(struct wsq_work *work, bool onstack)
{
#ifdef CONFIG_DEBUG_OBJECTS_WORK
	if (onstack)
		debug_object_init_on_stack(work, &wsq_debug_descr);
	else
		debug_object_init(work, &wsq_debug_descr);
#endif
}
WSQ_EXPORT(__wsq_init_work);

void wsq_destroy_work_on_stack(struct wsq_work *work)
{
#ifdef CONFIG_DEBUG_OBJECTS_WORK
	debug_object_free(work, &wsq_debug_descr);
#endif
}
WSQ_EXPORT(wsq_destroy_work_on_stack);

void wsq_destroy_delayed_work_on_stack(struct wsq_delayed_work *dwork)
{
	timer_destroy_on_stack(&dwork->timer);
	wsq_destroy_work_on_stack(&dwork->work);
}
WSQ_EXPORT(wsq_destroy_delayed_work_on_stack);
