// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * Installs fake.c's module in place of the kernel before main() begins, for the
 * examples, which are not aware of it.
 */
#include "fake.h"

__attribute__((constructor)) static void fake_main(void)
{
	fake_install();
}
