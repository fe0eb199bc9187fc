/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * XML 1.0 in UTF-8, to a stream that the caller checks for errors. Well
 * formed whatever texts hold: what XML can't say is U+FFFD.
 */
#ifndef PP_XML_WRITER_H
#define PP_XML_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define XML_DEPTH_MAX 16

struct xml_writer {
	FILE *out;
	const char *open[XML_DEPTH_MAX]; /* elements, outermost first; borrowed */
	unsigned int depth;
	bool in_tag; /* attributes may follow */
	bool inline_text;
};

/* With the declaration. */
void xml_writer_init(struct xml_writer *xml, FILE *out);

void xml_begin(struct xml_writer *xml, const char *element);
void xml_end(struct xml_writer *xml); /* the innermost that is open */

/* Right after xml_begin. NULL: no attribute. */
void xml_attribute(struct xml_writer *xml, const char *name, const char *text);
void xml_attribute_number(struct xml_writer *xml, const char *name, uint64_t number);
void xml_attribute_hex(struct xml_writer *xml, const char *name, uint64_t number);

/* The content of the innermost, in the place of elements. */
void xml_number(struct xml_writer *xml, uint64_t number);
/* The same, two digits of 0-9A-F for each byte. */
void xml_bytes(struct xml_writer *xml, const uint8_t *bytes, size_t nr_bytes);

#endif
