/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel header of this name: model/idle_client.h has what idle.c uses of it. */
