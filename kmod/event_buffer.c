// SPDX-License-Identifier: GPL-2.0-only
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "kmod/event_buffer.h"

/*
 * Maximum number of bytes in one read, so that a read ends even if the writer
 * is as fast as the reader. Records are far smaller.
 */
#define EVENT_BUFFER_READ_BYTES_MAX (1u << 20)

static struct {
	u8 *room;
	u64 room_bytes, watershed_bytes;

	/*
	 * The writer's members. Records are complete up to position
	 * `appended`; the reader may read up to position `written`.
	 */
	u64 appended ____cacheline_aligned_in_smp;
	u64 written;
	/*
	 * If `read` is before this position, the reader is woken even if fewer
	 * bytes than the watershed are unread.
	 */
	u64 wake_at;
	bool is_full; /* a record was refused since the last event_buffer_publish() */

	/* Written by the reader only. */
	u64 read ____cacheline_aligned_in_smp;
} event_buffer;

static DEFINE_MUTEX(reader_mutex); /* serialises threads that share the reader's descriptor */
static DECLARE_WAIT_QUEUE_HEAD(reader_wait);

int event_buffer_open(u64 room_bytes, u64 watershed_bytes)
{
	u64 bytes = roundup_pow_of_two(room_bytes);
	/*
	 * With these flags the allocation fails if memory is short. Without
	 * the flags, the kernel might kill processes to get memory.
	 */
	u8 *room = __vmalloc(bytes, GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);

	if (!room)
		return -ENOMEM;
	event_buffer.room = room;
	event_buffer.room_bytes = bytes;
	event_buffer.watershed_bytes = watershed_bytes;
	event_buffer.appended = 0;
	event_buffer.written = 0;
	event_buffer.wake_at = 0;
	event_buffer.is_full = false;
	event_buffer.read = 0;
	return 0;
}

void event_buffer_close(void)
{
	vfree(event_buffer.room);
	event_buffer.room = NULL;
}

/* ---- the writer ---- */

bool event_buffer_has_room(u64 nr_bytes)
{
	/*
	 * Pairs with the release in take_records(), so that the reader has
	 * copied the bytes before they are overwritten.
	 */
	u64 taken = event_buffer.appended - smp_load_acquire(&event_buffer.read);

	if (nr_bytes <= event_buffer.room_bytes - taken)
		return true;
	/*
	 * A refused record also wakes the reader, since a watershed near the
	 * buffer's size may never be reached.
	 */
	event_buffer.is_full = true;
	return false;
}

/* Returns how many of the nr_bytes bytes that begin at `position` are contiguous in memory. */
static u32 piece_bytes(u64 position, u32 nr_bytes)
{
	return min_t(u64, nr_bytes,
		     event_buffer.room_bytes - (position & (event_buffer.room_bytes - 1)));
}

static u8 *piece_at(u64 position)
{
	return event_buffer.room + (position & (event_buffer.room_bytes - 1));
}

static void append_bytes(const void *from, u32 nr_bytes)
{
	u32 first = piece_bytes(event_buffer.appended, nr_bytes);

	memcpy(piece_at(event_buffer.appended), from, first);
	memcpy(event_buffer.room, (const u8 *)from + first, nr_bytes - first);
	event_buffer.appended += nr_bytes;
}

void event_buffer_append(const void *head, u32 head_bytes, const void *rest, u32 rest_bytes)
{
	static const u8 zeros[8];
	const struct oprof_record *record = head;
	u32 padding_bytes = record->size_bytes - head_bytes - rest_bytes;

	/* If one of these conditions were true, the reader could not find the next record. */
	if (WARN_ON_ONCE(record->size_bytes % 8 || padding_bytes >= sizeof(zeros) ||
			 !event_buffer_has_room(record->size_bytes)))
		return;
	append_bytes(head, head_bytes);
	append_bytes(rest, rest_bytes);
	append_bytes(zeros, padding_bytes);
}

static bool is_readable(void)
{
	/* Pairs with the release in event_buffer_publish(). */
	u64 written = smp_load_acquire(&event_buffer.written);
	u64 read = READ_ONCE(event_buffer.read);

	return written - read >= event_buffer.watershed_bytes ||
	       (s64)(READ_ONCE(event_buffer.wake_at) - read) > 0;
}

void event_buffer_publish(bool wake)
{
	/*
	 * Pairs with the reader's acquire loads of `written`, so that the
	 * reader sees complete records.
	 */
	smp_store_release(&event_buffer.written, event_buffer.appended);
	if (wake || event_buffer.is_full)
		WRITE_ONCE(event_buffer.wake_at, event_buffer.appended);
	event_buffer.is_full = false;
	if (is_readable())
		wake_up_interruptible(&reader_wait);
}

/* ---- the reader ---- */

u64 event_buffer_unread_bytes(void)
{
	/* Pairs with the release in event_buffer_publish(). */
	return smp_load_acquire(&event_buffer.written) - READ_ONCE(event_buffer.read);
}

/*
 * Returns the total size of the complete records within nr_bytes. A record at
 * the buffer's end may continue at the buffer's start, but the field size_bytes
 * is never split, because records are aligned to 8 bytes.
 */
static u32 whole_records_bytes(u32 nr_bytes)
{
	u32 bytes = 0;

	while (bytes < nr_bytes) {
		const struct oprof_record *record = (void *)piece_at(event_buffer.read + bytes);

		if (record->size_bytes > nr_bytes - bytes)
			break;
		bytes += record->size_bytes;
	}
	return bytes;
}

static ssize_t take_records(char __user *to, size_t nr_bytes)
{
	u64 unread_bytes = event_buffer_unread_bytes();
	u32 bytes, first;

	if (!unread_bytes)
		return -EAGAIN;
	bytes = whole_records_bytes(
		min3((u64)nr_bytes, unread_bytes, (u64)EVENT_BUFFER_READ_BYTES_MAX));
	if (!bytes)
		return -EINVAL;
	first = piece_bytes(event_buffer.read, bytes);
	if (copy_to_user(to, piece_at(event_buffer.read), first) ||
	    copy_to_user(to + first, event_buffer.room, bytes - first))
		return -EFAULT;
	/* Pairs with the acquire in event_buffer_has_room(). */
	smp_store_release(&event_buffer.read, event_buffer.read + bytes);
	return bytes;
}

static ssize_t read_waiting(char __user *to, size_t nr_bytes)
{
	ssize_t status;

	do {
		status = wait_event_interruptible(reader_wait, event_buffer_unread_bytes());
		if (status)
			return status;
		if (mutex_lock_interruptible(&reader_mutex))
			return -ERESTARTSYS;
		status = take_records(to, nr_bytes);
		mutex_unlock(&reader_mutex);
	} while (status == -EAGAIN); /* another thread has read the records */
	return status;
}

ssize_t event_buffer_read(struct file *file, char __user *to, size_t nr_bytes)
{
	ssize_t status;

	if (!(file->f_flags & O_NONBLOCK))
		return read_waiting(to, nr_bytes);
	if (!mutex_trylock(&reader_mutex))
		return -EAGAIN;
	status = take_records(to, nr_bytes);
	mutex_unlock(&reader_mutex);
	return status;
}

__poll_t event_buffer_poll(struct file *file, poll_table *table)
{
	poll_wait(file, &reader_wait, table);
	return is_readable() ? EPOLLIN | EPOLLRDNORM : 0;
}
