// SPDX-License-Identifier: GPL-2.0
/* salsa_back.cpp, of a chunk in its last epoch. Use and limitations: there. */
#define BACK_LAST
#include "salsa_back.cpp"
