// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/module_source/kmod_buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Room for records. The largest records, a name or a sample with all its callers, take 4 KB. */
#define ROOM_BYTES	((size_t)256 << 10)
#define AHEAD_BYTES_MAX ((size_t)64 << 20)

struct kmod_piece {
	struct kmod_piece *next;
	size_t nr_bytes;
	uint64_t records[]; /* of type uint64_t, to have the alignment of records */
};

int kmod_buffer_init(struct kmod_buffer *buffer)
{
	*buffer = (struct kmod_buffer){.fd = -1, .room = malloc(ROOM_BYTES)};
	return buffer->room ? 0 : -ENOMEM;
}

static struct kmod_piece *pop(struct kmod_buffer *buffer)
{
	struct kmod_piece *piece = buffer->first;

	if (!piece)
		return NULL;
	buffer->first = piece->next;
	if (!buffer->first)
		buffer->last = NULL;
	buffer->nr_ahead_bytes -= piece->nr_bytes;
	return piece;
}

void kmod_buffer_deinit(struct kmod_buffer *buffer)
{
	struct kmod_piece *piece;

	while ((piece = pop(buffer)))
		free(piece);
	free(buffer->room);
	buffer->room = NULL;
}

/* Returns the number of bytes read, 0 if the buffer is empty, or -errno. */
static ssize_t read_room(const struct kmod_buffer *buffer)
{
	ssize_t nr;

	do {
		nr = read(buffer->fd, buffer->room, ROOM_BYTES);
	} while (nr < 0 && errno == EINTR);
	if (nr >= 0)
		return nr;
	return errno == EAGAIN ? 0 : -errno;
}

static void push(struct kmod_buffer *buffer, struct kmod_piece *piece)
{
	piece->next = NULL;
	*(buffer->last ? &buffer->last->next : &buffer->first) = piece;
	buffer->last = piece;
	buffer->nr_ahead_bytes += piece->nr_bytes;
}

void kmod_buffer_read_ahead(struct kmod_buffer *buffer)
{
	while (buffer->nr_ahead_bytes < AHEAD_BYTES_MAX) {
		/* Allocate before reading, since records that were read cannot be put back. */
		struct kmod_piece *piece = malloc(sizeof(*piece) + ROOM_BYTES);
		struct kmod_piece *smaller;
		ssize_t nr = piece ? read_room(buffer) : 0;

		if (nr <= 0) {
			free(piece);
			return;
		}
		piece->nr_bytes = (size_t)nr;
		memcpy(piece->records, buffer->room, piece->nr_bytes);
		smaller = realloc(piece, sizeof(*piece) + piece->nr_bytes);
		push(buffer, smaller ? smaller : piece);
	}
}

int kmod_buffer_take(struct kmod_buffer *buffer, uint64_t max_bytes,
		     void (*take)(void *context, const void *records, size_t nr_bytes),
		     void *context)
{
	struct kmod_piece *piece;
	uint64_t nr_taken = 0;
	ssize_t nr = 0;

	while ((piece = pop(buffer))) {
		take(context, piece->records, piece->nr_bytes);
		free(piece);
	}
	while (nr_taken < max_bytes && (nr = read_room(buffer)) > 0) {
		take(context, buffer->room, (size_t)nr);
		nr_taken += (uint64_t)nr;
	}
	return nr < 0 ? (int)nr : 0;
}
