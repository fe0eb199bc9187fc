/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Separate debug files, where distributions and objcopy put the symbols that they remove from
 * a binary (GDB manual, "Debugging Information in Separate Files"). Runs in the helper.
 */
#ifndef PP_DEBUG_FILE_H
#define PP_DEBUG_FILE_H

#include "lib/buildid.h"
#include "pp/symbols/file_opener.h"
#include "pp/symbols/symbol_file.h"
#include "pp/symbols/symbols.h"

#include <stdbool.h>
#include <stdint.h>

#define DEBUG_FILE_PATH "/usr/lib/debug"

/* Content of a .gnu_debuglink section: name, NUL, padding to a multiple of 4 bytes, CRC. */
struct debuglink {
	const char *name; /* points into the section; contains no '/' */
	uint32_t crc;	  /* CRC of the whole debug file, by zlib's crc32() */
};

/* Parses a debug link. big_endian is the byte order of the file. Returns 0 or -EILSEQ. */
int debuglink_parse(const void *bytes, size_t nr_bytes, int big_endian, struct debuglink *link);

/*
 * Opens a regular file for reading. Does not open other files, such as devices and pipes. Returns
 * the descriptor or -errno; -ENOEXEC if path is not a regular file.
 */
int debug_file_open_regular(const char *path);

/*
 * Like debug_file_open_regular(), for a path below `folder` ("": the root folder), where another
 * user may replace files by links. No part of the path may be a symbolic link (-ELOOP) or ".."
 * (-ENOENT); `folder` itself may be a link. *is_public becomes true if the modes allow every user
 * to read the file and to enter each folder of the path.
 */
int debug_file_open_without_links(const char *folder, const char *path, bool *is_public);

/*
 * Like debug_file_open_regular(), for a path that may begin with root (NULL: none). Returns -ENOENT
 * if ".." leads out of root. If path does not exist, tries again without each "DIR/..", because an
 * archive may lack DIR.
 */
int debug_file_open_below(const char *root, const char *path);

/*
 * Returns path with "." and ".." resolved textually (symbolic links are ignored), malloc'ed;
 * NULL if out of memory or if path leads out of "/".
 */
char *debug_file_plain_path(const char *path);

/*
 * Returns "<root><debug_path>/.build-id/xx/rest<suffix>", malloc'ed; NULL if out of memory or if
 * id is empty.
 */
char *debug_file_build_id_path(const struct symbol_search *search, const struct buildid *id,
			       const char *suffix);

/*
 * Opens the debug file of image into *debug. Tries in this order: the file that was downloaded, if
 * the opener's request has one; the path by build-id; the debug link's name in image's folder, in
 * its .debug folder and below the debug path (file_place.h). The file must have image's build-id,
 * or the link's CRC if the image or the file has no build-id. Returns 0; -ENOENT if there is no
 * file; -ESTALE if there are only files of other builds; -ENOMEM.
 */
int debug_file_open(struct symbol_file *debug, const struct symbol_file *image,
		    struct file_opener *opener);

/*
 * Opens the file to which dwz moved shared parts of an image or debug file. Searches by the name
 * and then by the build-id in that file's section .gnu_debugaltlink. from: FILE_ALT_OF_IMAGE or
 * FILE_ALT_OF_DEBUG, depending on which file has the section. The opened file must have the
 * build-id. Returns 0, -ENOENT, -ESTALE if the opened file is of another build, or -ENOMEM.
 */
int debug_file_open_alt(struct symbol_file *alt, enum file_kind from, const char *name,
			const uint8_t *id_bytes, size_t nr_id_bytes, struct file_opener *opener);

#endif
