// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/text_line.h"
#include "lib/utf8.h"

#include <inttypes.h>
#include <string.h>

void text_line_field(struct text_line *line, size_t width, const char *text)
{
	size_t length = strlen(text);

	for (; line->padding; line->padding--)
		(void)putc_unlocked(' ', line->out);
	utf8_write_masked(line->out, text);
	line->padding = length < width ? width - length : 1;
}

void text_line_number(struct text_line *line, size_t width, uint64_t number)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, number);
	text_line_field(line, width, text);
}

void text_line_percent(struct text_line *line, double percent)
{
	char text[TEXT_PERCENT_BYTES];

	text_format_percent(percent, text);
	text_line_field(line, TEXT_WIDTH_PERCENT, text);
}

void text_line_end(struct text_line *line)
{
	(void)fputc('\n', line->out);
	line->padding = 0;
}

size_t text_line_number_width(const struct profile *profile, size_t class)
{
	size_t width = (size_t)column_number_width(profile, class);

	return width > COLUMN_NUMBER_WIDTH ? width + 1 : TEXT_WIDTH_SAMPLES;
}
