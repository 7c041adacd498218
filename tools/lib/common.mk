# SPDX-License-Identifier: MIT OR LGPL-2.1
#
# Shared by the Makefiles of tools/lib and tools/wsqctl: flags, and output
# directories.
#
#   O=DIR      output directory (default build/tools of the repository, or
#              build/tools-static with STATIC=1)
#   STATIC=1   programs linked statically, for a guest that has no libraries
#   CC=clang   another compiler
#   SAN=FLAGS  sanitizers, for instance -fsanitize=address,undefined
#   PREFIX= LIBDIR= DESTDIR=   for install

TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/../..)

ifeq ($(STATIC),1)
O ?= $(TOP)/build/tools-static
else
O ?= $(TOP)/build/tools
endif
override O := $(abspath $(O))

PREFIX     ?= /usr/local
LIBDIR     ?= $(PREFIX)/lib
BINDIR     ?= $(PREFIX)/bin
INCLUDEDIR ?= $(PREFIX)/include
MANDIR     ?= $(PREFIX)/share/man
INSTALL    ?= install

VERSION_H  := $(TOP)/include/linux/wsq_version.h
VERSION    := $(shell sed -n 's/^.define WSQ_VERSION[^"]*"\(.*\)"/\1/p' $(VERSION_H))

CFLAGS     ?= -O2 -g
WSQ_CFLAGS := -std=gnu11 -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
	      -Wmissing-prototypes -I$(TOP)/include/uapi -I$(TOP)/tools/lib \
	      -fno-strict-aliasing -MMD -MP $(SAN)

ifneq ($(V),1)
Q := @
endif

# make does not track flags; a change of compiler or flags rebuilds all.
.PHONY: FORCE
$(O)/%/.flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CFLAGS) $(WSQ_CFLAGS) $(LDFLAGS) $(STATIC)' | \
		cmp -s - $@ || \
		echo '$(CC) $(CFLAGS) $(WSQ_CFLAGS) $(LDFLAGS) $(STATIC)' >$@
