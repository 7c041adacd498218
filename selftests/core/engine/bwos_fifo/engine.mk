# SPDX-License-Identifier: GPL-2.0
# What ../../Makefile builds for this engine: the sources below kmod/core, the
# programs that are its own, and those that are written for all engines.
SOURCES-bwos_fifo := bwos_fifo.c
OWN-bwos_fifo := bwos_fifo bwos_grow claims
UNIT-bwos_fifo := first first_less mount
STRESS-bwos_fifo := conserve claims
