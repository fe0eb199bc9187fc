// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/lines/line_wire.h"

#include "pp/symbols/symbol_wire.h"

#include <errno.h>
#include <string.h>

/*
 * Subtracts the size of `nr` items of item_bytes bytes each from *room. Returns false if *room is
 * too small.
 */
static bool take(uint64_t *room, uint64_t nr, size_t item_bytes)
{
	if (nr > *room / item_bytes)
		return false;
	*room -= nr * item_bytes;
	return true;
}

static int find_parts(struct line_wire *wire, const char *bytes, size_t nr_bytes)
{
	struct line_wire_header *header = &wire->header;
	uint64_t room;

	if (nr_bytes < sizeof(*header))
		return -EILSEQ;
	memcpy(header, bytes, sizeof(*header));
	room = nr_bytes - sizeof(*header);
	if (header->magic != LINE_WIRE_MAGIC || header->lack > SYMBOLS_DAMAGED ||
	    !take(&room, header->nr_ranges, sizeof(*wire->ranges)) ||
	    !take(&room, header->nr_nodes, sizeof(*wire->nodes)) ||
	    !take(&room, header->nr_files, sizeof(*wire->files)) || header->strings_bytes != room ||
	    !room)
		return -EILSEQ;
	wire->ranges = (const void *)(bytes + sizeof(*header));
	wire->nodes = (const void *)(wire->ranges + header->nr_ranges);
	wire->files = (const void *)(wire->nodes + header->nr_nodes);
	wire->strings = (const char *)(wire->files + header->nr_files);
	if (wire->strings[room - 1] || header->debug_path >= room || header->note >= room)
		return -EILSEQ;
	return 0;
}

static bool ranges_are_valid(const struct line_wire *wire)
{
	const struct line_wire_range *ranges = wire->ranges;
	uint64_t nr = wire->header.nr_ranges;

	for (uint64_t i = 0; i < nr; i++) {
		if (i && ranges[i].start <= ranges[i - 1].start)
			return false;
		if (ranges[i].node && ranges[i].node >= wire->header.nr_nodes)
			return false;
		if (ranges[i].file >= wire->header.nr_files && ranges[i].file != LINE_NO_FILE)
			return false;
	}
	return !nr || ranges[nr - 1].file == LINE_NO_FILE;
}

static bool nodes_are_valid(const struct line_wire *wire)
{
	for (uint32_t i = 1; i < wire->header.nr_nodes; i++) {
		const struct line_wire_node *node = &wire->nodes[i];

		if (node->function >= wire->header.strings_bytes ||
		    node->call_file >= wire->header.nr_files || node->parent >= i)
			return false;
	}
	return true;
}

static bool files_are_valid(const struct line_wire *wire)
{
	for (uint32_t i = 0; i < wire->header.nr_files; i++)
		if (wire->files[i] >= wire->header.strings_bytes)
			return false;
	return true;
}

int line_wire_open(struct line_wire *wire, void *bytes, size_t nr_bytes)
{
	int error = find_parts(wire, bytes, nr_bytes);

	if (error)
		return error;
	if (!ranges_are_valid(wire) || !nodes_are_valid(wire) || !files_are_valid(wire))
		return -EILSEQ;
	symbol_wire_hide_controls((char *)bytes + (wire->strings - (char *)bytes),
				  wire->header.strings_bytes);
	return 0;
}
