/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of files and symbols are bytes; documents that others read are UTF-8. */
#ifndef PP_UTF8_H
#define PP_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffdu /* stands for a byte that is no part of a character */

/*
 * The character that text (no NUL at its first byte) begins with, into
 * *code; how many bytes it has. A byte that begins none (also overlong ones,
 * surrogates, beyond U+10FFFF, cut ones) is UTF8_REPLACEMENT and 1 byte.
 */
size_t utf8_decode(const char *text, uint32_t *code);

#endif
