/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes XML 1.0 in UTF-8 to a stream; the caller checks the stream for errors. The output is
 * well formed for any text: characters that XML cannot represent become U+FFFD.
 */
#ifndef PP_XML_WRITER_H
#define PP_XML_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define XML_DEPTH_MAX 16

struct xml_writer {
	FILE *out;
	const char *open[XML_DEPTH_MAX]; /* outermost first; names are borrowed */
	unsigned int depth;
	bool in_tag; /* the start tag is still open for attributes */
	bool inline_text;
};

/* Writes the XML declaration. */
void xml_writer_init(struct xml_writer *xml, FILE *out);

void xml_begin(struct xml_writer *xml, const char *element);
void xml_end(struct xml_writer *xml); /* ends the innermost open element */

/* Writes an attribute; must directly follow xml_begin(). If `text` is NULL, writes nothing. */
void xml_attribute(struct xml_writer *xml, const char *name, const char *text);
void xml_attribute_number(struct xml_writer *xml, const char *name, uint64_t number);
void xml_attribute_hex(struct xml_writer *xml, const char *name, uint64_t number);

/* Writes a number as the innermost element's only content, instead of child elements. */
void xml_number(struct xml_writer *xml, uint64_t number);
/* Like xml_number(), but writes bytes, each as two hexadecimal digits (0-9A-F). */
void xml_bytes(struct xml_writer *xml, const uint8_t *bytes, size_t nr_bytes);

#endif
