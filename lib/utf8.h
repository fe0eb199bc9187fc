/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes UTF-8 and masks control characters. Names of files, programs and symbols are arbitrary
 * bytes that other users chose. But documents for other programs must be valid UTF-8, and text for
 * a terminal or a log must not contain control characters.
 */
#ifndef LIB_UTF8_H
#define LIB_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define UTF8_REPLACEMENT 0xfffdu /* replaces a byte that is not part of a valid character */

/*
 * Decodes the first character of text, which must not be empty, into *code and returns its length
 * in bytes. If text does not begin with a valid character (overlong, surrogate, beyond U+10FFFF or
 * cut off), *code is UTF8_REPLACEMENT and the length is 1.
 */
size_t utf8_decode(const char *text, uint32_t *code);

/*
 * Returns whether code is a character that controls Unicode's bidirectional algorithm, and so
 * changes the order of other text: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
 */
bool utf8_changes_direction(uint32_t code);

/*
 * Returns the length in bytes of the first character of text, or 1 if text does not begin with a
 * valid character. Sets *masked to whether the character must not reach a terminal. This is the
 * case if the character is a control character (C0 including NUL, DEL or C1), if it changes the
 * direction of text, or if it is a byte that is not part of a valid character.
 */
size_t utf8_next(const char *text, bool *masked);

/*
 * Replaces each character in text that utf8_next() masks by one '?'. ASCII characters in `kept` are
 * not replaced.
 */
void utf8_mask(char *text, const char *kept);

/* Writes text to out; each character that utf8_next() masks is written as '?'. */
void utf8_write_masked(FILE *out, const char *text);
/* The same, but keeps tabs. */
void utf8_write_masked_line(FILE *out, const char *text);

#endif
