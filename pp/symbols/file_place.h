/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paths at which the file of a binary image, and the files with its debug information, are
 * searched. The helper, which reads the files, names only a place of the list below, and never
 * opens a path itself (file_opener.h).
 */
#ifndef PP_FILE_PLACE_H
#define PP_FILE_PLACE_H

#include "lib/buildid.h"

#include <stddef.h>

struct symbol_request;

/* A place. "text" and "id" are what the helper has read in a file, so they may be hostile. */
enum file_kind {
	/* the image itself */
	FILE_IMAGE_FOLDER,   /* in the folder of -p with this index, by the image's file name */
	FILE_IMAGE_PATH,     /* at the recorded path */
	FILE_IMAGE_KEPT,     /* the copy in the session */
	FILE_IMAGE_BUILD_ID, /* by the recorded build-id, below the debug path */
	FILE_KERNEL_DEBUG,   /* the debug file with the recorded build-id, below the debug path */
	FILE_KERNEL_PLACE, /* the index-th of the places at which distributions install a vmlinux */
	/* its debug file */
	FILE_DEBUG_FETCHED,  /* the file that was downloaded */
	FILE_DEBUG_BUILD_ID, /* the debug file with build-id id, below the debug path */
	/*
	 * the name in the debug link (text, without '/'): in the folder of the image that was
	 * opened; in its folder .debug; in the folder of the same name below the debug path
	 */
	FILE_LINK_BESIDE,
	FILE_LINK_DEBUG,
	FILE_LINK_BELOW,
	/* the file to which dwz moved parts of the debug file */
	FILE_ALT_OF_IMAGE, /* the path in text, relative to the real folder of the image */
	FILE_ALT_OF_DEBUG, /* relative to the real folder of the debug file */
	FILE_ALT_BUILD_ID, /* the debug file with build-id id, below the debug path */
	/* split debug information */
	FILE_SPLIT_PACKAGE, /* "IMAGE.dwp" */
	FILE_SPLIT,	    /* the path in text, below the root of -R */
	FILE_SPLIT_BESIDE,  /* the name in text, without '/', in the folder of the image */
	NR_FILE_KINDS
};

#define FILE_KERNEL_PLACES 4

struct file_query {
	enum file_kind kind;
	/*
	 * For FILE_LINK_*, 0 means that the folders are derived from the image's path, and 1 that
	 * they are derived from this path with symbolic links resolved. For the meaning in other
	 * kinds, see enum file_kind.
	 */
	unsigned int index;
	struct buildid id;
};

/* Paths of the files that were opened last; NULL: none. */
struct file_opened {
	char *image;
	char *debug;
};

/*
 * Sets *path to the malloc'ed path of a place. text is the "text" of the query's kind (enum
 * file_kind), or "" if the kind has none. Returns 0; -ENOENT: there is no such place; -EINVAL: the
 * query is not valid; or -ENOMEM.
 */
int file_place(const struct symbol_request *request, const struct file_opened *opened,
	       const struct file_query *query, const char *text, char **path);

#endif
