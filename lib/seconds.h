/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats nanoseconds exactly as seconds: "1700000000.123456789". */
#ifndef LIB_SECONDS_H
#define LIB_SECONDS_H

#include <stdint.h>

#define SECONDS_BYTES 32

/* Writes ns, which may be negative, to text[SECONDS_BYTES], with nine digits after the point. */
void seconds_format(int64_t ns, char *text);

#endif
