/* SPDX-License-Identifier: GPL-2.0 */
/* The hooks of core/fence.h in user space. */
#include "../wsq_user_fence.h"
