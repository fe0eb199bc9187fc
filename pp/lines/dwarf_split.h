/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split debug information (-gsplit-dwarf): what a unit left in a file of its
 * own (.dwo), or in the package of a binary (.dwp). Runs in the helper.
 */
#ifndef PP_DWARF_SPLIT_H
#define PP_DWARF_SPLIT_H

#include "pp/lines/dwarf_unit.h"

struct dwarf_split {
	const char *image_path; /* not owned */
	const char *root;	/* prefix of paths; "" for none; not owned */
	/* The package, once it has been looked for. */
	bool package_sought;
	int package_fd; /* -1: there is none */
	Elf *package;
	char *package_path;
	struct dwarf_file package_file;
	/* What was asked for last. */
	int fd;
	Elf *elf;
	struct dwarf_info info;
	char *path;	 /* of the file that the unit was found in, the package or one of its own */
	uint32_t number; /* of it, ascending */
	/* What is missing. */
	size_t nr_missing;
	char *missing; /* the first of them; or NULL */
};

void dwarf_split_init(struct dwarf_split *split, const char *image_path, const char *root);
void dwarf_split_deinit(struct dwarf_split *split);

/*
 * The rest of skeleton, which has a dwo_name: *unit, read, until the next
 * call. 0, -ENOENT: there is none, and split->missing has its path; -EILSEQ
 * it is damaged; -ENOMEM.
 */
int dwarf_split_find(struct dwarf_split *split, const struct dwarf_unit *skeleton,
		     struct dwarf_unit **unit);

#endif
