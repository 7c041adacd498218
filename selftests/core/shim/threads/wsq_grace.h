/* SPDX-License-Identifier: GPL-2.0 */
/* The hooks of core/grace.h in user space. */
#include "../wsq_user_grace.h"
