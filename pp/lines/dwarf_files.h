/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the files that contain an image's debug information: the image or its separate debug file,
 * and the file to which dwz moved shared parts. The code runs in the helper process.
 *
 * Not for split files (dwarf_split.h).
 */
#ifndef PP_DWARF_FILES_H
#define PP_DWARF_FILES_H

#include "pp/lines/dwarf_unit.h"
#include "pp/symbols/symbol_image.h"

struct dwarf_files {
	/* the file with the debug information: the image or `debug` */
	const struct symbol_file *from;
	struct symbol_file debug; /* fd -1: none */
	struct symbol_file alt;	  /* the file that dwz made; fd -1: none */
	struct dwarf_info info, alt_info;
	/* the debug information uses an unsupported compression, or is damaged */
	bool undecompressed;
};

/*
 * Finds and opens the files. Returns 0, -ENOENT if there is no line information (files->debug may
 * be open nevertheless), or -ENOMEM. Call dwarf_files_close() even after an error; the image must
 * stay open until then.
 */
int dwarf_files_open(struct dwarf_files *files, const struct symbol_file *image,
		     const struct symbol_request *request);
void dwarf_files_close(struct dwarf_files *files);

#endif
