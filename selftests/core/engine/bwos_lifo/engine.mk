# SPDX-License-Identifier: GPL-2.0
# See ../bwos_fifo/engine.mk.
SOURCES-bwos_lifo := bwos_lifo.c bwos_lifo_steal.c
OWN-bwos_lifo := bwos_lifo lifo_grow lifo_hint lifo_claims
UNIT-bwos_lifo := first first_less attach
STRESS-bwos_lifo := conserve claims
