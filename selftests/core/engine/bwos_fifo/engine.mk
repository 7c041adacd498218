# SPDX-License-Identifier: GPL-2.0
# What ../../Makefile builds for this engine: the sources in kmod/core, its own
# programs, and those that are written for all engines.
SOURCES-bwos_fifo := bwos_fifo.c
OWN-bwos_fifo := bwos_fifo bwos_grow claims
UNIT-bwos_fifo := first first_less attach
STRESS-bwos_fifo := conserve claims
