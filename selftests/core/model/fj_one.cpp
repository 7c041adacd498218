// SPDX-License-Identifier: GPL-2.0
/* fj_tasks.h, with thieves that take one task. */
#include "fj_tasks.h"

struct fj_one : fj_tasks<fj_one, 2, false> {
};

CLIENT_MAIN(fj_one)
