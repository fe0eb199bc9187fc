/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats lengths of time for people, with a unit. */
#ifndef PP_DURATION_H
#define PP_DURATION_H

#include <stdint.h>

#define DURATION_BYTES 32

/* Formats a time such as "4ms" or "12.34s". Times of less than 11 years need at most six cells. */
void duration_show(uint64_t ns, char text[DURATION_BYTES]);

#endif
