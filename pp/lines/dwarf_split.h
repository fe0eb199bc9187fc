/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split debug information (-gsplit-dwarf): finds the part of a unit that is in a separate
 * file (.dwo) or in the binary's package (.dwp). Runs in the helper.
 */
#ifndef PP_DWARF_SPLIT_H
#define PP_DWARF_SPLIT_H

#include "pp/lines/dwarf_unit.h"
#include "pp/symbols/file_opener.h"

struct dwarf_split {
	struct file_opener *opener; /* not owned */
	/* The package, which is opened at its first use. */
	bool package_sought;
	int package_fd; /* -1: none */
	Elf *package;
	char *package_path;
	struct dwarf_file package_file;
	/* The file that contains the last unit found. */
	int fd;
	Elf *elf;
	struct dwarf_info info;
	char *path;	   /* the package or the .dwo file */
	uint32_t number;   /* number of this file; each opened file gets the next number */
	size_t nr_missing; /* units that were not found */
	char *missing;	   /* path of the first missing unit's file; NULL: none */
};

void dwarf_split_init(struct dwarf_split *split, struct file_opener *opener);
void dwarf_split_deinit(struct dwarf_split *split);

/*
 * Finds the split unit that belongs to `skeleton`, which must have a dwo_name, and reads it with
 * dwarf_unit_read(). *unit is valid until the next call. Returns 0; -ENOENT if the unit is not
 * found (split->missing has the first missing path); -EILSEQ if it is damaged; or -ENOMEM.
 */
int dwarf_split_find(struct dwarf_split *split, const struct dwarf_unit *skeleton,
		     struct dwarf_unit **unit);

#endif
