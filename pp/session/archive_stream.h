/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The content of a compressed archive as a stream of items. Each item is a struct archive_item,
 * followed by nr_bytes bytes. A confined child process parses the archive and writes the stream.
 * The parent process reads the stream and creates the files (archive_unpack.h). The parent checks
 * every item, because a hostile archive may control the child.
 */
#ifndef PP_ARCHIVE_STREAM_H
#define PP_ARCHIVE_STREAM_H

#include <limits.h>
#include <stdint.h>

enum archive_item_type {
	ARCHIVE_ITEM_FOLDER = 1, /* the bytes are the folder's name in the archive, without NUL */
	ARCHIVE_ITEM_FILE,	 /* the same */
	ARCHIVE_ITEM_OTHER,	 /* the same, for a link, pipe or device */
	ARCHIVE_ITEM_DATA,	 /* the next bytes of the file that was named last */
	ARCHIVE_ITEM_DAMAGED,	 /* the last item: reading failed; the bytes state the reason */
	ARCHIVE_ITEM_END,	 /* the last item: the archive is complete */
};

struct archive_item {
	uint32_t type;
	uint32_t nr_bytes;
	int64_t mtime; /* of a file, in seconds since 1970 */
	uint64_t mtime_ns;
};

#define ARCHIVE_NAME_BYTES_MAX ((uint32_t)PATH_MAX) /* longer names are cut to this length */
#define ARCHIVE_DATA_BYTES_MAX (256u << 10)
#define ARCHIVE_TEXT_BYTES_MAX 256u

/*
 * Parses the archive at `from` (tar, compressed by zstd) and writes the stream to `to`. Uses only
 * these descriptors. Returns 0, also for a damaged archive; or -errno: the stream is not complete.
 */
int archive_stream_write(int from, int to);

#endif
