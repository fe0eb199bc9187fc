// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/window.h"

#include "lib/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_BYTES ((size_t)64 << 10)

void ctf_window_init(struct ctf_window *window, int fd, uint64_t file_bytes)
{
	*window = (struct ctf_window){.fd = fd, .file_bytes = file_bytes};
}

void ctf_window_deinit(struct ctf_window *window)
{
	free(window->bytes);
	*window = (struct ctf_window){.fd = -1};
}

static int make_room(struct ctf_window *window, uint64_t nr_bytes)
{
	size_t room = window->room ? window->room : WINDOW_BYTES;
	uint8_t *bytes;

	while (room < nr_bytes)
		room *= 2;
	if (room == window->room)
		return 0;
	bytes = realloc(window->bytes, room);
	if (!bytes)
		return -ENOMEM;
	window->bytes = bytes;
	window->room = room;
	return 0;
}

/* Move what is there from keep on to the front. */
static void drop_before(struct ctf_window *window, uint64_t keep)
{
	const uint64_t end = window->offset + window->nr_bytes;

	if (keep < window->offset || keep >= end) {
		window->nr_bytes = 0;
	} else {
		window->nr_bytes = (size_t)(end - keep);
		memmove(window->bytes, window->bytes + (keep - window->offset), window->nr_bytes);
	}
	window->offset = keep;
}

int ctf_window_slide(struct ctf_window *window, uint64_t keep, uint64_t end)
{
	const uint64_t left = window->file_bytes > keep ? window->file_bytes - keep : 0;
	ssize_t nr;
	size_t wanted;
	int error;

	if (end - keep > left)
		return -ENODATA;
	error = make_room(window, end - keep);
	if (error)
		return error;
	drop_before(window, keep);
	wanted = window->room < left ? window->room : (size_t)left;
	nr = file_pread_all(window->fd, window->bytes + window->nr_bytes, wanted - window->nr_bytes,
			    (off_t)(keep + window->nr_bytes));
	if (nr < 0)
		return (int)nr;
	window->nr_bytes += (size_t)nr;
	return window->nr_bytes < end - keep ? -ENODATA : 0;
}
