// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/trace/trace_ring.h"

#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pipe_fs_i.h>
#include <linux/splice.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "kmod/compat.h"

#define SPLICE_PAGES 16u

/* ---- poll ---- */

/* Callable with or without the ring's lock, since the result may be outdated in both cases. */
__poll_t trace_ring_poll(const struct trace_ring *ring)
{
	const struct ring_reader *reader = &ring->reader;
	ring_word unread = data_race(ring_unread_bytes(reader));
	const struct ring *of = &reader->ring;
	__poll_t mask = 0;

	if (unread)
		mask |= EPOLLIN | EPOLLRDNORM;
	else if (READ_ONCE(ring->is_finalised))
		mask |= EPOLLHUP;
	if (unread + ring_sub_buffer_bytes(of) >= ring_lap_bytes(of))
		mask |= EPOLLPRI;
	return mask;
}

static __poll_t ring_file_poll(struct file *file, poll_table *wait)
{
	struct trace_ring *ring = file->private_data;

	poll_wait(file, &ring->session->wait, wait);
	return trace_ring_poll(ring);
}

/* ---- packets ---- */

static void tell_new(struct trace_ring *ring, struct oprof_ktrace_packet *call)
{
	const u8 *memory = ring->memory;

	ring->nr_spliced = 0;
	call->position = ring->packet.position;
	call->map_offset = (u64)(ring->packet.data - memory);
	call->bytes = ring_sub_buffer_bytes(&ring->reader.ring);
	call->unread_bytes = ring_unread_bytes(&ring->reader);
}

static int do_next(struct trace_ring *ring, struct oprof_ktrace_packet *call)
{
	int error = ring_next(&ring->reader, &ring->packet);

	if (!error)
		tell_new(ring, call);
	return error;
}

static int do_get(struct trace_ring *ring, struct oprof_ktrace_packet *call)
{
	int error;

	if (call->position & ring->reader.ring.sub_mask)
		return -EINVAL;
	error = ring_get(&ring->reader, call->position, &ring->packet);
	if (!error)
		tell_new(ring, call);
	return error;
}

static int do_put(struct trace_ring *ring, bool keep)
{
	if (!ring->reader.held)
		return -EINVAL;
	/*
	 * Pairs with the release in page_put(). If nr_piped is 0, no page of the
	 * packet is in a pipe any more.
	 */
	if (atomic_read_acquire(&ring->nr_piped))
		return -EBUSY;
	if (keep)
		ring_put_keep(&ring->reader, &ring->packet);
	else
		ring_put(&ring->reader, &ring->packet);
	return 0;
}

static int do_range(struct trace_ring *ring, struct oprof_ktrace_range *call)
{
	ring_snapshot_range(&ring->reader, &call->from, &call->to);
	return 0;
}

/* ---- calls ---- */

/* Flushes or finalises the ring while holding the session's lock. */
static int do_session_call(struct trace_ring *ring, unsigned int command)
{
	struct trace_session *session = ring->session;
	int error = 0;

	mutex_lock(&session->lock);
	if (command == OPROF_KTRACE_FLUSH)
		trace_channel_flush_ring(ring);
	else if (session->state & TRACE_ACTIVE)
		error = -EBUSY;
	else
		error = trace_channel_finalise_ring(ring);
	mutex_unlock(&session->lock);
	wake_up_interruptible_all(&session->wait);
	return error;
}

/* Finalises a ring that had no room to report its losses when the session was finalised. */
static void finalise_late(struct trace_ring *ring)
{
	struct trace_session *session = ring->session;

	if (!READ_ONCE(session->is_finalised) || READ_ONCE(ring->is_finalised))
		return;
	mutex_lock(&session->lock);
	(void)trace_channel_finalise_ring(ring);
	mutex_unlock(&session->lock);
}

union ring_argument {
	struct oprof_ktrace_packet packet;
	struct oprof_ktrace_range range;
};

static int do_locked(struct trace_ring *ring, unsigned int command, union ring_argument *argument)
{
	switch (command) {
	case OPROF_KTRACE_NEXT:
		return do_next(ring, &argument->packet);
	case OPROF_KTRACE_GET:
		return do_get(ring, &argument->packet);
	case OPROF_KTRACE_PUT:
		return do_put(ring, false);
	case OPROF_KTRACE_PUT_KEEP:
		return do_put(ring, true);
	case OPROF_KTRACE_RANGE:
		return do_range(ring, &argument->range);
	default:
		return -ENOTTY;
	}
}

static long ring_file_ioctl(struct file *file, unsigned int command, unsigned long number)
{
	struct trace_ring *ring = file->private_data;
	void __user *from = (void __user *)number;
	union ring_argument argument = {};
	int error;

	if (command == OPROF_KTRACE_FLUSH || command == OPROF_KTRACE_FINALISE)
		return do_session_call(ring, command);
	if (_IOC_SIZE(command) > sizeof(argument))
		return -ENOTTY;
	if ((_IOC_DIR(command) & _IOC_WRITE) && copy_from_user(&argument, from, _IOC_SIZE(command)))
		return -EFAULT;
	finalise_late(ring);
	mutex_lock(&ring->lock);
	error = do_locked(ring, command, &argument);
	mutex_unlock(&ring->lock);
	if (!error && (_IOC_DIR(command) & _IOC_READ) &&
	    copy_to_user(from, &argument, _IOC_SIZE(command)))
		error = -EFAULT;
	return error;
}

/* ---- mmap ---- */

static int ring_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct trace_ring *ring = file->private_data;

	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	compat_vm_flags_clear(vma, VM_MAYWRITE);
	return remap_vmalloc_range(vma, ring->memory, vma->vm_pgoff);
}

/* ---- splice ---- */

/*
 * Each page in a pipe has a reference to the ring's file, so that the packet is
 * held until the page is read.
 */
static void page_put(struct file *file, struct page *page)
{
	struct trace_ring *ring = file->private_data;

	put_page(page);
	(void)atomic_dec_return_release(&ring->nr_piped); /* pairs with the acquire in do_put() */
	fput(file);
}

static void pipe_release(struct pipe_inode_info *pipe, struct pipe_buffer *buffer)
{
	page_put((struct file *)buffer->private, buffer->page);
}

static bool pipe_get(struct pipe_inode_info *pipe, struct pipe_buffer *buffer)
{
	struct file *file = (struct file *)buffer->private;
	struct trace_ring *ring = file->private_data;

	if (!try_get_page(buffer->page))
		return false;
	get_file(file);
	atomic_inc(&ring->nr_piped);
	return true;
}

static const struct pipe_buf_operations pipe_operations = {
	.release = pipe_release,
	.get = pipe_get,
};

static void spliced_not(struct splice_pipe_desc *splice, unsigned int i)
{
	page_put((struct file *)splice->partial[i].private, splice->pages[i]);
}

/* Continues where the last splice ended, with at most `bytes` bytes and SPLICE_PAGES pages. */
static void fill_splice(struct file *file, struct splice_pipe_desc *splice, size_t bytes)
{
	struct trace_ring *ring = file->private_data;
	const u8 *at = ring->packet.data + ring->nr_spliced;

	while (bytes && splice->nr_pages < (int)SPLICE_PAGES) {
		unsigned int offset = (unsigned int)((unsigned long)at & (PAGE_SIZE - 1));
		unsigned int here = (unsigned int)min_t(size_t, bytes, PAGE_SIZE - offset);
		struct page *page = vmalloc_to_page(at);

		get_page(page);
		get_file(file);
		atomic_inc(&ring->nr_piped);
		splice->pages[splice->nr_pages] = page;
		splice->partial[splice->nr_pages] = (struct partial_page){
			.offset = offset, .len = here, .private = (unsigned long)file};
		splice->nr_pages++;
		at += here;
		bytes -= here;
	}
}

static ssize_t splice_locked(struct file *file, struct pipe_inode_info *pipe, size_t bytes)
{
	struct trace_ring *ring = file->private_data;
	struct partial_page partial[SPLICE_PAGES];
	struct page *pages[SPLICE_PAGES];
	struct splice_pipe_desc splice = {
		.pages = pages,
		.partial = partial,
		.nr_pages_max = SPLICE_PAGES,
		.ops = &pipe_operations,
		.spd_release = spliced_not,
	};
	ssize_t status;

	if (!ring->reader.held)
		return -EINVAL;
	bytes = min_t(size_t, bytes, ring_sub_buffer_bytes(&ring->reader.ring) - ring->nr_spliced);
	if (!bytes)
		return 0;
	fill_splice(file, &splice, bytes);
	status = splice_to_pipe(pipe, &splice);
	if (status > 0)
		ring->nr_spliced += (size_t)status;
	return status;
}

static ssize_t ring_file_splice(struct file *file, loff_t *offset, struct pipe_inode_info *pipe,
				size_t bytes, unsigned int flags)
{
	struct trace_ring *ring = file->private_data;
	ssize_t status;

	mutex_lock(&ring->lock);
	status = splice_locked(file, pipe, bytes);
	mutex_unlock(&ring->lock);
	return status;
}

/* ---- the file ---- */

/*
 * When this function is called, no page of the ring is in a pipe, because such
 * pages hold references to the file. If the reader still holds a packet, the
 * packet becomes unread, and the next reader can read it.
 */
static int ring_file_release(struct inode *inode, struct file *file)
{
	struct trace_ring *ring = file->private_data;
	struct trace_session *session = ring->session;

	mutex_lock(&ring->lock);
	if (ring->reader.held)
		ring_put_keep(&ring->reader, &ring->packet);
	mutex_unlock(&ring->lock);
	mutex_lock(&session->lock);
	ring->session = NULL;
	mutex_unlock(&session->lock);
	trace_session_put(session);
	return 0;
}

static const struct file_operations ring_operations = {
	.owner = THIS_MODULE,
	.release = ring_file_release,
	.poll = ring_file_poll,
	.unlocked_ioctl = ring_file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = ring_file_mmap,
	.splice_read = ring_file_splice,
};

int trace_ring_open(struct trace_session *session, struct trace_ring *ring,
		    struct oprof_ktrace_ring *call)
{
	struct file *file;
	int fd;

	if (ring->session)
		return -EBUSY;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	file = anon_inode_getfile("[oprof_ring]", &ring_operations, ring, O_RDONLY);
	if (IS_ERR(file)) {
		put_unused_fd((unsigned int)fd);
		return (int)PTR_ERR(file);
	}
	(void)stream_open(file_inode(file), file);
	trace_session_get(session);
	ring->session = session;
	fd_install((unsigned int)fd, file);
	call->fd = fd;
	call->map_bytes = ring->memory_bytes;
	return 0;
}
