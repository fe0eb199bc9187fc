/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a stream's file that is in memory. It moves forward as the file
 * is read. It uses pread, not mmap: a file that is truncated while it is read
 * causes an error, not a signal.
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
	 * Room beyond CTF_WINDOW_BYTES, summed over the windows that share this
	 * counter. It is the caller's. NULL: no limit.
	 */
	uint64_t *nr_long_bytes;
};

/* The size of a window unless it must be larger. */
#define CTF_WINDOW_BYTES ((size_t)64 << 10)

/* file must be open; ctf_window_deinit closes it. */
void ctf_window_init(struct ctf_window *window, const struct ctf_file *file,
		     uint64_t *nr_long_bytes);
void ctf_window_deinit(struct ctf_window *window);

/*
 * Loads the bytes of the file from keep up to end; ctf_window_at then finds all
 * of them. Earlier pointers into the window become invalid. -ENODATA: the file
 * has become shorter; -EBADMSG: it is compressed and damaged; -ENOMEM, -EIO.
 * The caller limits end - keep. The window shrinks again when less is needed.
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
