# SPDX-License-Identifier: GPL-2.0
#
# For the Kbuild of a module that calls wsq. `make install` puts it beside wsq's
# headers and the versions of its symbols:
#
#   include /lib/modules/$(KERNELRELEASE)/wsq/wsq.mk
#   obj-m := mine.o

wsq-directory := $(dir $(lastword $(MAKEFILE_LIST)))
ccflags-y += -I$(wsq-directory)include
KBUILD_EXTRA_SYMBOLS += $(wsq-directory)Module.symvers
