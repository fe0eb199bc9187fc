/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the kernel module's buffer in pieces of whole records. A piece is either processed when it
 * is read, or is read ahead. Pieces that were read ahead wait in the daemon's memory while the
 * daemon has other work, so that the kernel's buffer does not fill up.
 */
#ifndef DAEMON_KMOD_BUFFER_H
#define DAEMON_KMOD_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct kmod_piece;

struct kmod_buffer {
	int fd; /* borrowed, O_NONBLOCK */
	char *room;
	struct kmod_piece *first, *last; /* pieces read ahead */
	size_t nr_ahead_bytes;
};

int kmod_buffer_init(struct kmod_buffer *buffer); /* Returns 0 or -ENOMEM; opens no descriptor. */
void kmod_buffer_deinit(struct kmod_buffer *buffer);

/* Reads all available pieces into memory, up to a size limit. */
void kmod_buffer_read_ahead(struct kmod_buffer *buffer);

/*
 * Calls `take` for all pieces that were read ahead, and then for pieces that it reads. Ends when
 * the buffer is empty, or when max_bytes were read: a fast writer must not keep the reader here
 * forever. Returns 0 or -errno of reading.
 */
int kmod_buffer_take(struct kmod_buffer *buffer, uint64_t max_bytes,
		     void (*take)(void *context, const void *records, size_t nr_bytes),
		     void *context);

#endif
