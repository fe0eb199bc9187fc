/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Separate debug files: where distributions and objcopy put the symbols that
 * were taken out of a binary (GDB manual, "Debugging Information in Separate
 * Files"). Runs in the helper.
 */
#ifndef PP_DEBUG_FILE_H
#define PP_DEBUG_FILE_H

#include "lib/buildid.h"
#include "pp/symbols/symbol_file.h"
#include "pp/symbols/symbols.h"

#include <stdint.h>

#define DEBUG_FILE_PATH "/usr/lib/debug"

/* Content of a .gnu_debuglink section: name, NUL, padding to 4, CRC. */
struct debuglink {
	const char *name; /* points into the section; no '/' in it */
	uint32_t crc;	  /* of the whole debug file, as zlib's crc32 */
};

/* 0 or -EILSEQ. big_endian: byte order of the file. */
int debuglink_parse(const void *bytes, size_t nr_bytes, int big_endian, struct debuglink *link);

/*
 * Open a regular file for reading. Does not wait where path is a pipe. The
 * descriptor or -errno; -ENOEXEC when path is not a regular file.
 */
int debug_file_open_regular(const char *path);

/*
 * The same of a path that may begin with root (NULL: none): -ENOENT where its ".." lead out of
 * root. Where a folder on the way is missing that is left by ".." at once, as in archives, path is
 * looked for without the two.
 */
int debug_file_open_below(const char *root, const char *path);

/*
 * path without "." and "..", as if it had no symbolic links: malloc'ed; NULL: no memory, or it
 * leads out of "/".
 */
char *debug_file_plain_path(const char *path);

/* "<root><debug_path>/.build-id/xx/rest<suffix>", malloc'ed; NULL: no memory, or no id. */
char *debug_file_build_id_path(const struct symbol_search *search, const struct buildid *id,
			       const char *suffix);

/*
 * Open the debug file of image into *debug: fetched, where that is the path
 * of one that came from a server; by build-id, else by the debug
 * link in image's folder, its .debug and below the debug path, where it must
 * have the same build-id, or the link's CRC if either has none. 0, -ENOENT
 * there is none, -ESTALE there is one, but of another build; -ENOMEM.
 */
int debug_file_open(struct symbol_file *debug, const struct symbol_file *image,
		    const struct symbol_search *search, const char *fetched);

/*
 * Open the file that dwz put shared parts of from in (.gnu_debugaltlink), by
 * its name, relative to from's folder, else by its build-id, which must be
 * that. 0, -ENOENT, -ESTALE another build; -ENOMEM.
 */
int debug_file_open_alt(struct symbol_file *alt, const struct symbol_file *from, const char *name,
			const uint8_t *id_bytes, size_t nr_id_bytes,
			const struct symbol_search *search);

#endif
