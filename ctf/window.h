/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window: the part of a stream's file that is in memory. The window moves forward as the file is
 * read. The file is read by pread and not mapped, so that a truncation during the reading causes an
 * error and not a signal.
 */
#ifndef CTF_WINDOW_H
#define CTF_WINDOW_H

#include "ctf/file.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Limit of a counter *nr_long_bytes. If a larger window would exceed the limit, ctf_window_slide
 * returns -ENOMEM.
 */
#define CTF_LONG_BYTES_MAX ((uint64_t)256 << 20)

struct ctf_window {
	struct ctf_file file;
	uint64_t offset; /* offset in the file of bytes[0] */
	uint8_t *bytes;
	size_t nr_bytes, room;
	/*
	 * A counter that windows may share. Each window adds the bytes by which its size exceeds
	 * CTF_WINDOW_BYTES. The caller owns the counter. NULL: there is no limit.
	 */
	uint64_t *nr_long_bytes;
};

/* Normal size of a window. A long record needs a larger one. */
#define CTF_WINDOW_BYTES ((size_t)64 << 10)

/* Initialises an empty window of an open file, which ctf_window_deinit closes. */
void ctf_window_init(struct ctf_window *window, const struct ctf_file *file,
		     uint64_t *nr_long_bytes);
void ctf_window_deinit(struct ctf_window *window);

/*
 * Loads the bytes of the file from offset `keep` to offset `end`, so that ctf_window_at can return
 * all of them. Earlier pointers into the window become invalid. Returns 0; -ENODATA: the file has
 * become shorter; -EBADMSG: the file is compressed and damaged; -ENOMEM, -EIO. The caller must
 * limit end - keep. A window that was enlarged shrinks again when fewer bytes are needed.
 */
int ctf_window_slide(struct ctf_window *window, uint64_t keep, uint64_t end);

static inline int ctf_window_need(struct ctf_window *window, uint64_t keep, uint64_t end)
{
	if (keep >= window->offset && end <= window->offset + window->nr_bytes)
		return 0;
	return ctf_window_slide(window, keep, end);
}

/* Returns a pointer to the byte at `offset` in the file, which must be in the window. */
static inline const uint8_t *ctf_window_at(const struct ctf_window *window, uint64_t offset)
{
	return window->bytes + (offset - window->offset);
}

#endif
