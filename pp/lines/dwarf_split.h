/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split debug information (-gsplit-dwarf): finds the part of a unit that is in a separate
 * file (.dwo) or in the binary's package (.dwp). Runs in the helper.
 */
#ifndef PP_DWARF_SPLIT_H
#define PP_DWARF_SPLIT_H

#include "pp/lines/dwarf_unit.h"

struct dwarf_split {
	const char *image_path; /* not owned */
	const char *root;	/* prefix of paths, or ""; not owned */
	/* The package, opened on first use. */
	bool package_sought;
	int package_fd; /* -1: none */
	Elf *package;
	char *package_path;
	struct dwarf_file package_file;
	/* The file of the last unit that was found. */
	int fd;
	Elf *elf;
	struct dwarf_info info;
	char *path;	 /* the package or the .dwo file */
	uint32_t number; /* number of this file, increased for each file */
	/* Units that were not found. */
	size_t nr_missing;
	char *missing; /* path of the first one; or NULL */
};

void dwarf_split_init(struct dwarf_split *split, const char *image_path, const char *root);
void dwarf_split_deinit(struct dwarf_split *split);

/*
 * Finds the split unit of skeleton, which must have a dwo_name, and reads it
 * (dwarf_unit_read). *unit is valid until the next call. Returns 0; -ENOENT:
 * not found (split->missing is the first missing path); -EILSEQ: damaged;
 * -ENOMEM.
 */
int dwarf_split_find(struct dwarf_split *split, const struct dwarf_unit *skeleton,
		     struct dwarf_unit **unit);

#endif
