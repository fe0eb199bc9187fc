// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/xml_writer.h"

#include "lib/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>

void xml_writer_init(struct xml_writer *xml, FILE *out)
{
	*xml = (struct xml_writer){.out = out};
	(void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
}

static void close_tag(struct xml_writer *xml)
{
	if (xml->in_tag)
		(void)fputs(">\n", xml->out);
	xml->in_tag = false;
}

void xml_begin(struct xml_writer *xml, const char *element)
{
	assert(xml->depth < XML_DEPTH_MAX);
	close_tag(xml);
	(void)fprintf(xml->out, "%*s<%s", (int)xml->depth, "", element);
	xml->open[xml->depth++] = element;
	xml->in_tag = true;
}

void xml_end(struct xml_writer *xml)
{
	const char *element = xml->open[--xml->depth];

	if (xml->in_tag)
		(void)fputs("/>\n", xml->out);
	else if (xml->inline_text)
		(void)fprintf(xml->out, "</%s>\n", element);
	else
		(void)fprintf(xml->out, "%*s</%s>\n", (int)xml->depth, "", element);
	xml->in_tag = xml->inline_text = false;
}

/* Returns whether XML 1.0 allows the character (production 2 of its specification). */
static bool is_allowed(uint32_t code)
{
	return code == '\t' || code == '\n' || code == '\r' ||
	       (code >= 0x20 && code != 0xfffe && code != 0xffff);
}

static void write_code(FILE *out, const char *bytes, size_t nr_bytes, uint32_t code)
{
	if (!is_allowed(code) || code == UTF8_REPLACEMENT)
		(void)fputs("&#xfffd;", out);
	else if (code == '&')
		(void)fputs("&amp;", out);
	else if (code == '<')
		(void)fputs("&lt;", out);
	else if (code == '>')
		(void)fputs("&gt;", out);
	else if (code == '"' || code < 0x20 || (code >= 0x7f && code < 0xa0) ||
		 utf8_changes_direction(code))
		(void)fprintf(out, "&#x%" PRIx32 ";", code);
	else
		(void)fwrite(bytes, 1, nr_bytes, out);
}

void xml_attribute(struct xml_writer *xml, const char *name, const char *text)
{
	if (!text)
		return;
	(void)fprintf(xml->out, " %s=\"", name);
	while (*text) {
		uint32_t code;
		size_t nr_bytes = utf8_decode(text, &code);

		write_code(xml->out, text, nr_bytes, code);
		text += nr_bytes;
	}
	(void)fputc('"', xml->out);
}

void xml_attribute_number(struct xml_writer *xml, const char *name, uint64_t number)
{
	(void)fprintf(xml->out, " %s=\"%" PRIu64 "\"", name, number);
}

void xml_attribute_hex(struct xml_writer *xml, const char *name, uint64_t number)
{
	(void)fprintf(xml->out, " %s=\"0x%" PRIx64 "\"", name, number);
}

void xml_number(struct xml_writer *xml, uint64_t number)
{
	(void)fprintf(xml->out, ">%" PRIu64, number);
	xml->in_tag = false;
	xml->inline_text = true;
}

void xml_bytes(struct xml_writer *xml, const uint8_t *bytes, size_t nr_bytes)
{
	static const char digits[] = "0123456789ABCDEF";

	(void)fputc('>', xml->out);
	for (size_t i = 0; i < nr_bytes; i++) {
		(void)fputc(digits[bytes[i] >> 4], xml->out);
		(void)fputc(digits[bytes[i] & 15], xml->out);
	}
	xml->in_tag = false;
	xml->inline_text = true;
}
