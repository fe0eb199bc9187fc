/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stretch of a stream's file in memory, that moves on with what is read. By
 * pread: a file that is cut meanwhile costs an error, not a signal.
 */
#ifndef CTF_WINDOW_H
#define CTF_WINDOW_H

#include "ctf/file.h"

#include <stddef.h>
#include <stdint.h>

/* Of windows that share nr_long_bytes: more is -ENOMEM. */
#define CTF_LONG_BYTES_MAX ((uint64_t)256 << 20)

struct ctf_window {
	struct ctf_file file;
	uint64_t offset; /* of bytes, in the file */
	uint8_t *bytes;
	size_t nr_bytes, room;
	/* The caller's, of several windows: their room beyond CTF_WINDOW_BYTES. NULL: no bound. */
	uint64_t *nr_long_bytes;
};

/* What a window has if it need not have more. */
#define CTF_WINDOW_BYTES ((size_t)64 << 10)

/* file, which is open, is closed by deinit. */
void ctf_window_init(struct ctf_window *window, const struct ctf_file *file,
		     uint64_t *nr_long_bytes);
void ctf_window_deinit(struct ctf_window *window);

/*
 * Have the file's bytes from keep up to end: all of them are there then, at
 * ctf_window_at. Pointers of before are no longer good. -ENODATA: the file
 * has become shorter; -EBADMSG: it is compressed, and damaged; -ENOMEM, -EIO. The caller bounds end
 * - keep. Room is given back once it is not needed.
 */
int ctf_window_slide(struct ctf_window *window, uint64_t keep, uint64_t end);

static inline int ctf_window_need(struct ctf_window *window, uint64_t keep, uint64_t end)
{
	if (keep >= window->offset && end <= window->offset + window->nr_bytes)
		return 0;
	return ctf_window_slide(window, keep, end);
}

/* offset is in the window. */
static inline const uint8_t *ctf_window_at(const struct ctf_window *window, uint64_t offset)
{
	return window->bytes + (offset - window->offset);
}

#endif
