// SPDX-License-Identifier: GPL-2.0
/* salsa_halted.cpp, claimed. Use and limitations: there. */
#define HALTED_CLAIMS	3
#include "salsa_halted.cpp"
