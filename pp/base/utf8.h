/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of files and symbols are arbitrary bytes; documents for other programs are UTF-8. */
#ifndef PP_UTF8_H
#define PP_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffdu /* replaces a byte that is not part of a valid character */

/*
 * Decodes the first character of text, which must not be empty, into *code and returns its
 * length in bytes. If no valid character begins there (overlong, surrogate, beyond U+10FFFF
 * or cut off), *code is UTF8_REPLACEMENT and the length is 1.
 */
size_t utf8_decode(const char *text, uint32_t *code);

#endif
