// SPDX-License-Identifier: GPL-2.0
/*
 * Work of the fork-join benchmark that is the same for all libraries: see fj.h.
 */
#include "fj.h"

void fj_product_base(const struct fj_product *x)
{
	int i, j, k;

	for (i = 0; i < x->m; i++) {
		const float *a = x->a + (ptrdiff_t)i * x->stride;
		float *c = x->c + (ptrdiff_t)i * x->stride;

		for (j = 0; j < x->p; j++) {
			float sum = x->add ? c[j] : 0;

			for (k = 0; k < x->n; k++)
				sum += a[k] * x->b[(ptrdiff_t)k * x->stride + j];
			c[j] = sum;
		}
	}
}
