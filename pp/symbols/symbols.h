/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of one binary image: a sorted table of functions by key, keys being
 * those of sample files (offset in the file; relative to the start for
 * kernel, modules, vdso). Read from hostile files, therefore in a forked,
 * resource-limited helper; what it sends back is checked again.
 */
#ifndef PP_SYMBOLS_H
#define PP_SYMBOLS_H

#include "lib/diag.h"
#include "oprof/sample_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t start;	   /* key of its first byte */
	uint64_t nr_bytes; /* > 0; symbols do not overlap: each ends where the next begins at the
			      latest */
	uint64_t address;  /* as the file's symbol table has it: the vma column */
	const char *name;  /* as in the file, not demangled; PLT slots as "puts@plt" */
};

enum symbols_lack {
	SYMBOLS_FULL = 0,
	SYMBOLS_DYNAMIC_ONLY, /* only exported names: debug symbols are missing */
	SYMBOLS_STRIPPED,     /* not even those: debug symbols are missing */
	SYMBOLS_NONE,	      /* what it is has no symbols, or the session kept none of it */
	SYMBOLS_NO_FILE,      /* the binary can't be found or read */
	SYMBOLS_WRONG_FILE,   /* it was replaced: another build-id or identity */
	SYMBOLS_DAMAGED,      /* the helper failed on it: crashed, out of time or memory */
};

struct symbol_table {
	struct symbol *symbols; /* by ascending start */
	size_t nr_symbols;
	char *strings; /* holds the names */
	size_t strings_bytes;
	enum symbols_lack lack;
	bool kept;	  /* read from what the session kept of the binary */
	char *debug_path; /* separate debug file that was used, or NULL */
	/* Why symbols lack, a clause to stand behind "PATH: "; NULL when full. */
	char *note;
};

/* Where to look. Paths may be NULL. */
struct symbol_search {
	const char *root;	  /* -R: prefix of every path */
	const char *image_path;	  /* -p: comma list of folders searched by file name */
	const char *meta_path;	  /* the session's meta folder: kernel, modules, vdso */
	const char *no_kernel;	  /* why the session has no symbols of its kernel; NULL: not told */
	const char *debug_path;	  /* NULL: /usr/lib/debug */
	const char *cache_path;	  /* folder of tables read before (symbol_cache.h) */
	const char *code_path;	  /* the session folder's code tables */
	unsigned int max_seconds; /* of CPU for one image; 0: 60 */
	size_t max_bytes;	  /* of address space of the helper; 0: 4 GB */
};

/*
 * The symbols of image path of identity and kind. Always fills *table (lack
 * says what is missing); -ENOMEM or -errno only when this process itself
 * fails.
 */
int symbol_table_load(struct symbol_table *table, const char *path,
		      const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		      const struct symbol_search *search);
void symbol_table_deinit(struct symbol_table *table);

enum demangle_mode { DEMANGLE_NONE, DEMANGLE_NORMAL, DEMANGLE_SMART };

/* malloc'ed name to show; never NULL but for no memory. */
char *symbol_demangle(const char *name, enum demangle_mode mode);

#endif
