/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lengths of time for people: three digits and a unit. */
#ifndef PP_DURATION_H
#define PP_DURATION_H

#include <stdint.h>

#define DURATION_BYTES 32

/* Formats a time such as "4ms" or "12.34s", in at most six cells up to a century. */
void duration_show(uint64_t ns, char text[DURATION_BYTES]);

#endif
