/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of how long items wait and run. See hist.c.
 */
#ifndef _WSQ_OBS_HIST_H
#define _WSQ_OBS_HIST_H

#include <linux/types.h>

struct seq_file;
struct wsq_hist;

struct wsq_hist *wsq_hist_create(void);
void wsq_hist_destroy(struct wsq_hist *h);
int wsq_hist_attach(struct wsq_hist *h);
void wsq_hist_detach(struct wsq_hist *h);
int wsq_hist_show(struct seq_file *m, const struct wsq_hist *h);

#endif /* _WSQ_OBS_HIST_H */
