/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the kernel module's buffer, in pieces of whole records, now or
 * ahead: while the daemon has other work pieces wait in its memory, so that
 * the kernel's room does not run out.
 */
#ifndef DAEMON_KMOD_BUFFER_H
#define DAEMON_KMOD_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct kmod_piece;

struct kmod_buffer {
	int fd; /* borrowed, O_NONBLOCK */
	char *room;
	struct kmod_piece *first, *last; /* read ahead */
	size_t nr_ahead_bytes;
};

int kmod_buffer_init(struct kmod_buffer *buffer); /* 0 or -ENOMEM; no descriptor yet */
void kmod_buffer_deinit(struct kmod_buffer *buffer);

/* Read what is there into memory, up to a bound. */
void kmod_buffer_read_ahead(struct kmod_buffer *buffer);

/*
 * Give take all that was read ahead, and then what is there, until there is
 * no more, or max_bytes were read: who writes as fast as we read must not
 * keep us. 0 or -errno of reading.
 */
int kmod_buffer_take(struct kmod_buffer *buffer, uint64_t max_bytes,
		     void (*take)(void *context, const void *records, size_t nr_bytes),
		     void *context);

#endif
