/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel header of this name, for public headers in user space. */
#include_next <linux/types.h>
#include "../../wsq_linux.h"
