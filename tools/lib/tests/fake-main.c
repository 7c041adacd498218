// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * Installs fake.c's module in place of the kernel before main() begins, for the
 * examples, which are not aware of it. With $FAKE_STOPPED, as if the process was
 * stopped and continued in the first call that submits and waits.
 */
#include <errno.h>
#include <stdlib.h>

#include "fake.h"

__attribute__((constructor)) static void fake_main(void)
{
	fake_install();
	if (getenv("FAKE_STOPPED"))
		fake_cfg.enter_err = -EINTR;
}
