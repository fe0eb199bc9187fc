// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/window.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void ctf_window_init(struct ctf_window *window, const struct ctf_file *file,
		     uint64_t *nr_long_bytes)
{
	*window = (struct ctf_window){.file = *file, .nr_long_bytes = nr_long_bytes};
}

static uint64_t long_bytes(size_t room)
{
	return room > CTF_WINDOW_BYTES ? room - CTF_WINDOW_BYTES : 0;
}

/* Returns whether the limit of *nr_long_bytes allows this window to have a size of `room` bytes. */
static bool may_have(const struct ctf_window *window, size_t room)
{
	return !window->nr_long_bytes ||
	       *window->nr_long_bytes - long_bytes(window->room) + long_bytes(room) <=
		       CTF_LONG_BYTES_MAX;
}

static void set_room(struct ctf_window *window, size_t room)
{
	if (window->nr_long_bytes)
		*window->nr_long_bytes += long_bytes(room) - long_bytes(window->room);
	window->room = room;
}

void ctf_window_deinit(struct ctf_window *window)
{
	set_room(window, 0);
	free(window->bytes);
	ctf_file_close(&window->file);
	*window = (struct ctf_window){.file.fd = -1};
}

/* Removes the bytes before file offset `keep`: moves the rest to the start of the window. */
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

/*
 * Sets the window's size to the smallest size that has room for nr_bytes and for the bytes that are
 * already in the window.
 */
static int make_room(struct ctf_window *window, uint64_t nr_bytes)
{
	size_t room = CTF_WINDOW_BYTES;
	uint8_t *bytes;

	while (room < nr_bytes || room < window->nr_bytes)
		room *= 2;
	if (room == window->room)
		return 0;
	if (!may_have(window, room))
		return -ENOMEM;
	bytes = realloc(window->bytes, room);
	if (!bytes)
		return -ENOMEM;
	window->bytes = bytes;
	set_room(window, room);
	return 0;
}

int ctf_window_slide(struct ctf_window *window, uint64_t keep, uint64_t end)
{
	const uint64_t left = window->file.nr_bytes > keep ? window->file.nr_bytes - keep : 0;
	ssize_t nr;
	size_t wanted;
	int error;

	if (end - keep > left)
		return -ENODATA;
	drop_before(window, keep);
	error = make_room(window, end - keep);
	if (error)
		return error;
	wanted = window->room < left ? window->room : (size_t)left;
	nr = ctf_file_pread(&window->file, window->bytes + window->nr_bytes,
			    wanted - window->nr_bytes, keep + window->nr_bytes);
	if (nr < 0)
		return (int)nr;
	window->nr_bytes += (size_t)nr;
	return window->nr_bytes < end - keep ? -ENODATA : 0;
}
