// SPDX-License-Identifier: GPL-2.0-or-later
/* A library with one function, which programs load, unload and map over each other (named.h). */
#include "tests/guest/named.h"

void (*plug_spin)(unsigned long nr_turns) = NAMED_SPIN;
