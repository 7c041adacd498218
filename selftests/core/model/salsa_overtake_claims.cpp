// SPDX-License-Identifier: GPL-2.0
/* SALSA: as salsa_overtake.cpp, by a second thief that claims. */
#define OVERTAKE_CLAIMS	4
#include "salsa_overtake.cpp"
