# SPDX-License-Identifier: GPL-2.0
# See ../bwos_fifo/engine.mk. The ring has no blocks, which the programs for all
# engines need; its stress program is in this folder.
FOLDER-STRESS-toy := toy
