/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event buffer holds complete records until the daemon reads them. There
 * is one writer (the sync worker) and one reader (the process that opened
 * /dev/oprofile/buffer).
 *
 *	writer x writer: there is only one writer.
 *	writer x reader: run concurrently, without a lock. The writer never
 *			 waits for a reader that takes a page fault.
 *	reader x reader: exclude each other by a mutex.
 *
 * Positions are free-running byte counts. The writer stores `written` with
 * release, which pairs with the reader's acquire load. The reader stores `read`
 * with release, which pairs with the writer's acquire load.
 */
#ifndef KMOD_EVENT_BUFFER_H
#define KMOD_EVENT_BUFFER_H

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/types.h>

#include "oprof/record.h"

/*
 * Creates an empty buffer. room_bytes is rounded up to a power of two. Returns
 * 0 or -ENOMEM. May sleep.
 */
int event_buffer_open(u64 room_bytes, u64 watershed_bytes);
void event_buffer_close(void);

/* ---- the writer ---- */

/* Returns whether records of nr_bytes in total can be appended. */
bool event_buffer_has_room(u64 nr_bytes);
/*
 * Appends a complete record: head, then rest_bytes (may be 0) at rest. head's
 * size_bytes must be the sum of both sizes, rounded up to a multiple of 8. The
 * buffer must have room. The reader cannot read the record before
 * event_buffer_publish().
 */
void event_buffer_append(const void *head, u32 head_bytes, const void *rest, u32 rest_bytes);
/*
 * Makes appended records visible to the reader. Wakes the reader if the
 * watershed is reached or wake is set.
 */
void event_buffer_publish(bool wake);

/* ---- the reader ---- */

/*
 * Like read(2), but returns only complete records. If it returns -EINVAL,
 * -EAGAIN, -ERESTARTSYS or -EFAULT, no record is consumed.
 */
ssize_t event_buffer_read(struct file *file, char __user *to, size_t nr_bytes);
__poll_t event_buffer_poll(struct file *file, poll_table *table);

u64 event_buffer_unread_bytes(void);

#endif
