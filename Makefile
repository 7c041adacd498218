# SPDX-License-Identifier: GPL-2.0
#
# For people. What the kernel's build system compiles is in Kbuild; how
# kernels are got, built and booted is in tools/lab. `make help` lists what
# works.

# A kernel build directory, or stock, rt, backports, uml, debug or kcsan
# (tools/lab gets these).
KDIR ?= /lib/modules/$(shell uname -r)/build

# For check-vm, vm-shell and demo: stock, rt, backports, debug or kcsan, and the
# machine.
export KERNEL CPUS NODES MEM

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

# For install and uninstall; tools/lib/common.mk has more of them.
PREFIX ?= /usr/local
export PREFIX DESTDIR

.PHONY: all
all: ## the modules for KDIR (default: the running kernel) and the tools
	@tools/lab/needs modules tools
	@$(MAKE) -s tools modules

.PHONY: modules
modules: ## the modules alone
	@tools/lab/build-modules $(KDIR)

.PHONY: tools
tools: ## libwsq and wsqctl, in build/tools
	@tools/lab/needs tools
	@$(MAKE) -s -C tools/lib
	@$(MAKE) -s -C tools/wsqctl

.PHONY: demo
demo: ## the main job in a virtual machine, from nothing to its figures
	@tools/demo/demo

.PHONY: check check-all
check: ## what gates a change: 10 to 20 minutes on two slow CPUs, more the first time
	@tools/check/run check
check-all: ## all tests, the long ones and those on debug kernels too
	@tools/check/run all

.PHONY: check-lab check-core check-model check-vm check-kernels check-kunit check-debug check-style
check-lab: ## the tests of the laboratory, the benchmark tools, the documentation, syzkaller's description
check-core: ## the algorithms, the simulator, libwsq and wsqctl in user space; the ring under a fuzzer
check-model: ## weak memory: Relacy, mutants, litmus tests; all of them
check-vm: ## kselftests on a Debian kernel, machines of other shapes; KERNEL=stock|rt|backports|debug|kcsan CPUS= NODES=
check-kernels: ## shorter, on the kernels of backports and with PREEMPT_RT
check-kunit: ## KUnit suites in SMP user-mode Linux
check-debug: ## KUnit, kselftests and torture under KASAN, lockdep, debug objects; KERNEL=kcsan: for data races
check-style: ## checkpatch, sparse, kernel-doc, warnings, shellcheck
check-lab check-core check-model check-vm check-kernels check-kunit check-debug check-style: check-%:
	@tools/check/run $(if $(filter debug/kcsan,$*/$(KERNEL)),kcsan,$*)/

.PHONY: torture
torture: ## wsq_torture.ko in a guest, in runs of 5 minutes by seed: MINUTES= (10), KERNEL=stock|rt|backports|uml|debug
	@MINUTES=$(or $(MINUTES),10) tools/check/torture

.PHONY: bench bench-core bench-kernel bench-drivers bench-ring bench-sim
bench: bench-core bench-kernel bench-drivers bench-ring bench-sim ## all benchmarks: build/bench/results.json, tables, plots
bench-core: ## the algorithms beside packaged peers, natively
	@tools/bench/collect core
	@tools/bench/table
	@tools/bench/plot

bench-kernel: ## queues beside the kernel's own, in SMP user-mode Linux
bench-drivers: ## drivers of Linux converted to wsq beside the same drivers as they are, there too
bench-ring: ## tasks through a ring beside io_uring and AF_ALG, there too
bench-sim: ## the algorithms, pools, queues and fork-join on 1 to 256 simulated CPUs
bench-kernel bench-drivers bench-ring bench-sim: bench-%:
	@tools/bench/collect $*
	@tools/bench/table
	@tools/bench/plot

.PHONY: vm-shell
vm-shell: ## a shell in the guest, module loaded, tools in PATH
	@tools/lab/shell

.PHONY: install install-tests uninstall
install: ## wsq.ko for KDIR, its headers, libwsq and wsqctl, under DESTDIR and PREFIX
	@tools/lab/needs modules tools install
	@tools/lab/install all $(KDIR)
install-tests: install ## the same, and the test modules: torture, benchmark, samples
	@tools/lab/install tests $(KDIR)
uninstall: ## remove what both installed, with the same DESTDIR and PREFIX
	@tools/lab/install uninstall

.PHONY: deb
deb: ## Debian's packages, in build/deb
	@tools/packages/build

.PHONY: docs
docs: ## the documentation as HTML, in build/docs/html
	@Documentation/sphinx/build

.PHONY: clean
clean: ## remove build/; the cache of kernels stays (tools/lab/README.md)
	rm -rf build

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22
