// SPDX-License-Identifier: GPL-2.0
/* fj_tasks.h, with thieves that take half of the tasks. */
#include "fj_tasks.h"

struct fj_half : fj_tasks<fj_half, 2, true> {
};

CLIENT_MAIN(fj_half)
