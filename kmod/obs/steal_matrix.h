/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The matrix of steals. See steal_matrix.c.
 */
#ifndef _WSQ_OBS_STEALS_H
#define _WSQ_OBS_STEALS_H

struct seq_file;
struct wsq_steals;

struct wsq_steals *wsq_steals_create(void);
void wsq_steals_destroy(struct wsq_steals *s);
int wsq_steals_attach(struct wsq_steals *s);
void wsq_steals_detach(struct wsq_steals *s);
int wsq_steals_show(struct seq_file *m, const struct wsq_steals *s);

#endif /* _WSQ_OBS_STEALS_H */
