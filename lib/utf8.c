// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/utf8.h"

#include <string.h>

/*
 * Returns the length in bytes of a character whose first byte is `byte`, or 0 if no character
 * begins with this byte. Sets *bits to the bits of the code in this byte.
 */
static size_t decode_first(unsigned char byte, uint32_t *bits)
{
	if (byte < 0x80) {
		*bits = byte;
		return 1;
	}
	if (byte >= 0xc2 && byte < 0xe0) {
		*bits = byte & 0x1f;
		return 2;
	}
	if (byte >= 0xe0 && byte < 0xf0) {
		*bits = byte & 0x0f;
		return 3;
	}
	if (byte >= 0xf0 && byte < 0xf5) {
		*bits = byte & 0x07;
		return 4;
	}
	return 0;
}

size_t utf8_decode(const char *text, uint32_t *code)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t bits = 0;
	size_t nr_bytes = decode_first((unsigned char)text[0], &bits);
	size_t i = 1;

	for (; i < nr_bytes && ((unsigned char)text[i] & 0xc0) == 0x80; i++)
		bits = bits << 6 | ((unsigned char)text[i] & 0x3f);
	if (!nr_bytes || i < nr_bytes || bits < smallest[nr_bytes] || bits > 0x10ffff ||
	    (bits >= 0xd800 && bits < 0xe000)) {
		*code = UTF8_REPLACEMENT;
		return 1;
	}
	*code = bits;
	return nr_bytes;
}

bool utf8_changes_direction(uint32_t code)
{
	return code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static bool is_c1(uint32_t code)
{
	return code >= 0x80 && code < 0xa0;
}

size_t utf8_next(const char *text, bool *masked)
{
	uint32_t code;
	size_t nr_bytes = utf8_decode(text, &code);

	/*
	 * A terminal may interpret a byte that is not part of a character as a C1 control, and
	 * programs that read the output may refuse it.
	 */
	*masked = code < 0x20 || code == 0x7f || is_c1(code) || utf8_changes_direction(code) ||
		  (nr_bytes == 1 && code == UTF8_REPLACEMENT);
	return nr_bytes;
}

void utf8_mask(char *text, const char *kept)
{
	char *to = text;

	while (*text) {
		bool masked;
		size_t nr_bytes = utf8_next(text, &masked);

		if (masked && !strchr(kept, *text))
			*to++ = '?';
		else
			for (size_t i = 0; i < nr_bytes; i++)
				*to++ = text[i];
		text += nr_bytes;
	}
	*to = '\0';
}

static void write_masked(FILE *out, const char *text, char kept)
{
	size_t nr_plain = 0;

	while ((text[nr_plain] >= 0x20 && text[nr_plain] < 0x7f) ||
	       (text[nr_plain] && text[nr_plain] == kept))
		nr_plain++;
	(void)fwrite(text, 1, nr_plain, out);
	for (text += nr_plain; *text;) {
		bool masked;
		size_t nr_bytes = utf8_next(text, &masked);

		if (masked && *text != kept)
			(void)fputc('?', out);
		else
			(void)fwrite(text, 1, nr_bytes, out);
		text += nr_bytes;
	}
}

void utf8_write_masked(FILE *out, const char *text)
{
	write_masked(out, text, '\0');
}

void utf8_write_masked_line(FILE *out, const char *text)
{
	write_masked(out, text, '\t');
}
