# SPDX-License-Identifier: GPL-2.0
#
# How to compile sources whose accesses the simulator charges. See Makefile.

CC := gcc
OBJCOPY ?= objcopy
INSTRUMENT := -fsanitize=thread -fsanitize-coverage=trace-pc \
	-mno-sse -fno-tree-loop-distribute-patterns \
	-fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset -fno-builtin-memcmp \
	-mmemset-strategy=libcall:-1:noalign
RENAME := --redefine-sym memcpy=sim_memcpy --redefine-sym memmove=sim_memmove \
	--redefine-sym memset=sim_memset --redefine-sym memcmp=sim_memcmp
