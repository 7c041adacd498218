// SPDX-License-Identifier: GPL-2.0
/* fj_tasks.h, with three thieves. */
#include "fj_tasks.h"

struct fj_three : fj_tasks<fj_three, 3, false> {
};

CLIENT_MAIN(fj_three)
