/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window: the part of a stream's file that is in memory. It moves forward as the file is read. It
 * uses pread, not mmap, so that a file that is truncated while it is read causes an error, not a
 * signal.
 */
#ifndef CTF_WINDOW_H
#define CTF_WINDOW_H

#include "ctf/file.h"

#include <stddef.h>
#include <stdint.h>

/* The limit for windows that share nr_long_bytes; beyond it they return -ENOMEM. */
#define CTF_LONG_BYTES_MAX ((uint64_t)256 << 20)

struct ctf_window {
	struct ctf_file file;
	uint64_t offset; /* of bytes[0] in the file */
	uint8_t *bytes;
	size_t nr_bytes, room;
	/*
	 * The room beyond CTF_WINDOW_BYTES, summed over all windows that share this counter. The
	 * caller owns the counter. NULL: no limit.
	 */
	uint64_t *nr_long_bytes;
};

/* The size of a window, unless a record needs a larger one. */
#define CTF_WINDOW_BYTES ((size_t)64 << 10)

/* Initialises an empty window of an open file. ctf_window_deinit closes the file. */
void ctf_window_init(struct ctf_window *window, const struct ctf_file *file,
		     uint64_t *nr_long_bytes);
void ctf_window_deinit(struct ctf_window *window);

/*
 * Loads the bytes of the file from offset keep up to end; ctf_window_at then finds all of them.
 * Earlier pointers into the window become invalid. Returns 0; -ENODATA: the file has become
 * shorter; -EBADMSG: the file is compressed and damaged; -ENOMEM, -EIO. The caller limits end -
 * keep. The window shrinks again when fewer bytes are needed.
 */
int ctf_window_slide(struct ctf_window *window, uint64_t keep, uint64_t end);

static inline int ctf_window_need(struct ctf_window *window, uint64_t keep, uint64_t end)
{
	if (keep >= window->offset && end <= window->offset + window->nr_bytes)
		return 0;
	return ctf_window_slide(window, keep, end);
}

/* Returns the byte at offset of the file, which must be in the window. */
static inline const uint8_t *ctf_window_at(const struct ctf_window *window, uint64_t offset)
{
	return window->bytes + (offset - window->offset);
}

#endif
