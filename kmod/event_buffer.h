/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event buffer: whole records on their way to the daemon. One writer (the
 * sync worker), one reader (who has /dev/oprofile/buffer open).
 *
 *		| writer      | reader
 *	--------+-------------+-----------------
 *	writer	| no: one     | yes, no lock: the writer never waits for a
 *	reader	| yes	      | reader that page-faults; no: one (a mutex)
 *
 * Positions are free-running byte counts. The writer stores `written` with
 * release, pairs with the reader's acquire; the reader `read` likewise.
 */
#ifndef KMOD_EVENT_BUFFER_H
#define KMOD_EVENT_BUFFER_H

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/types.h>

#include "oprof/record.h"

/* Bytes: room is rounded up to a power of two. 0 or -ENOMEM. May sleep. */
int event_buffer_open(u64 room_bytes, u64 watershed_bytes);
void event_buffer_close(void);

/* ---- the writer ---- */

/* Is there room for records of so many bytes in all? Then they can be appended. */
bool event_buffer_has_room(u64 nr_bytes);
/*
 * Append a whole record: head, then rest_bytes at rest (0: none); head->size_bytes tells
 * the sum, rounded up to 8. There must be room. Not seen by the reader until published.
 */
void event_buffer_append(const void *head, u32 head_bytes, const void *rest, u32 rest_bytes);
/* Show what was appended to the reader; wake it when the watershed is reached, or if asked to. */
void event_buffer_publish(bool wake);

/* ---- the reader ---- */

/* As read(2): whole records; -EINVAL, -EAGAIN, -ERESTARTSYS, -EFAULT (then nothing is consumed). */
ssize_t event_buffer_read(struct file *file, char __user *to, size_t nr_bytes);
__poll_t event_buffer_poll(struct file *file, poll_table *table);

u64 event_buffer_unread_bytes(void);

#endif
