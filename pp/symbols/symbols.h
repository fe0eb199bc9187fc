/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of one binary image: functions sorted by key. The keys are the same as in sample files:
 * offsets in the file or, for kernel, modules and vdso, offsets from their start. The files may be
 * hostile. Therefore a child process with limited resources, the helper, reads them, and the
 * helper's result is checked.
 */
#ifndef PP_SYMBOLS_H
#define PP_SYMBOLS_H

#include "lib/diag.h"
#include "oprof/sample_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t start;	   /* key of the symbol's first byte */
	uint64_t nr_bytes; /* > 0; symbols do not overlap */
	uint64_t address;  /* address in the file's symbol table, shown in the column vma */
	const char *name;  /* name as in the file, not demangled; PLT entries as "puts@plt" */
};

enum symbols_lack {
	SYMBOLS_FULL = 0,
	SYMBOLS_DYNAMIC_ONLY, /* only exported names: debug symbols are missing */
	SYMBOLS_STRIPPED,     /* not even exported names: debug symbols are missing */
	SYMBOLS_NONE,	      /* this kind of image has no symbols, or the session lacks them */
	SYMBOLS_NO_FILE,      /* the binary is missing or unreadable */
	SYMBOLS_WRONG_FILE,   /* the binary was replaced: another build-id or identity */
	SYMBOLS_DAMAGED,      /* the reader crashed, or exceeded its limit of time or memory */
};

struct symbol_table {
	struct symbol *symbols; /* by ascending start */
	size_t nr_symbols;
	char *strings; /* the names */
	size_t strings_bytes;
	enum symbols_lack lack;
	bool kept;	  /* read from the session's copy of the binary */
	char *debug_path; /* separate debug file that was used, or NULL */
	/*
	 * A clause for a message that begins with "PATH: ". It states why symbols are missing. NULL
	 * if no symbols are missing.
	 */
	char *note;
};

/* Maximum length of image_path, because it is sent to the opener in one packet (file_opener.h). */
#define SYMBOLS_IMAGE_PATH_MAX 32000u

/* Where to search. Paths may be NULL. */
struct symbol_search {
	const char *root;	  /* -R: prefix of every path */
	const char *image_path;	  /* -p: comma-separated list of folders, searched by file name */
	const char *meta_path;	  /* session's meta folder, with symbols of kernel, modules, vdso */
	const char *no_kernel;	  /* reason why the kernel's symbols are missing; NULL: unknown */
	const char *debug_path;	  /* NULL: /usr/lib/debug */
	const char *cache_path;	  /* folder of cached tables (symbol_cache.h) */
	const char *code_path;	  /* the session's folder of code tables */
	unsigned int max_seconds; /* CPU seconds for one image; 0: 60 */
	size_t max_bytes;	  /* address space of the helper; 0: 4 GiB */
};

/*
 * Loads the symbols of the image at path, whose identity and kind are given. Always fills *table;
 * if symbols are missing, table->lack gives the reason. Returns -ENOMEM or -errno only if this
 * process itself fails.
 */
int symbol_table_load(struct symbol_table *table, const char *path,
		      const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		      const struct symbol_search *search);
void symbol_table_deinit(struct symbol_table *table);

enum demangle_mode { DEMANGLE_NONE, DEMANGLE_NORMAL, DEMANGLE_SMART };

/* Returns the name as reports show it, malloc'ed; NULL if out of memory. */
char *symbol_demangle(const char *name, enum demangle_mode mode);

#endif
