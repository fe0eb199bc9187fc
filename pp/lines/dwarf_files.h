/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that hold an image's debug information: itself or its separate
 * debug file, and what dwz took out of that. Runs in the helper.
 *
 * Not for what was split off (dwarf_split.h).
 */
#ifndef PP_DWARF_FILES_H
#define PP_DWARF_FILES_H

#include "pp/lines/dwarf_unit.h"
#include "pp/symbols/symbol_image.h"

struct dwarf_files {
	const struct symbol_file *from; /* what has the information: the image, or debug */
	struct symbol_file debug;	/* fd -1: none */
	struct symbol_file alt;		/* what dwz took out; fd -1: none */
	struct dwarf_info info, alt_info;
	bool undecompressed; /* it is compressed in a way that can't be read */
};

/*
 * Find and list them. 0, -ENOENT: there is no information (debug may be there all the same),
 * -ENOMEM. To be closed in any case; image stays open until then.
 */
int dwarf_files_open(struct dwarf_files *files, const struct symbol_file *image,
		     const struct symbol_request *request);
void dwarf_files_close(struct dwarf_files *files);

#endif
