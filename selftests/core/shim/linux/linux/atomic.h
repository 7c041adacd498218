/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel header of this name, for public headers in user space. */
#include "../../wsq_linux.h"
