// SPDX-License-Identifier: GPL-2.0
/*
 * rayon (package librust-rayon-dev). The jobs are in rayon/src/lib.rs.
 */
#include "fj.h"

void *rayon_start(unsigned int workers);
void rayon_stop(void *pool);
uint64_t rayon_run(void *pool, const struct fj_job *job);

const struct fj_lib fj_libs[] = {
	{ "rayon", rayon_start, rayon_run, rayon_stop },
	{ NULL, NULL, NULL, NULL },
};
