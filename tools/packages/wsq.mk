# SPDX-License-Identifier: GPL-2.0
#
# For the Kbuild of a module that calls wsq:
#
#   include /usr/share/wsq/wsq.mk
#   obj-m := mine.o
#
# Adds the directory of wsq's headers, and the versions of its symbols for the
# kernel of this build, which package wsq-dkms keeps.

ccflags-y += -I/usr/share/wsq/include
KBUILD_EXTRA_SYMBOLS += /var/lib/wsq/$(KERNELRELEASE)/Module.symvers
