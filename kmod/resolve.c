// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/resolve.h"

#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "kmod/compat.h"
#include "kmod/generation.h"
#include "kmod/image.h"
#include "kmod/stats.h"
#include "kmod/unmapped.h"

/* Maximum number of addresses that are resolved without releasing the mmap lock. */
#define NR_LOCKED_MAX 256
#define CACHE_ORDER   6
/*
 * Maximum time to wait for mmap locks, in jiffies, for all samples of one CPU
 * together. The limit is needed because a program can hold its mmap lock for
 * an unlimited time (by a page fault in a user-space file system that does not
 * respond).
 */
#define PATIENCE HZ

static struct {
	struct mm_struct *mm; /* address space whose mmap lock is held; NULL: none */
	unsigned int nr_resolved;
	bool has_waited; /* wait_for_unmappings() was called */
	bool has_records;
	unsigned long patience; /* the part of PATIENCE that is not used up */
	char *name;		/* PATH_MAX bytes, for the path of a file */
	/* Images of some pages of the address space mm; valid while its lock is held. */
	struct {
		u64 page; /* 0: empty */
		u64 add;  /* offset = address + add */
		u32 image;
	} cache[1u << CACHE_ORDER];
} resolver;

int resolve_open(void)
{
	resolver.mm = NULL;
	resolver.name = kmalloc(PATH_MAX, GFP_KERNEL);
	return resolver.name ? 0 : -ENOMEM;
}

void resolve_close(void)
{
	kfree(resolver.name);
	resolver.name = NULL;
}

/* ---- the mmap lock ---- */

static void unlock(void)
{
	if (!resolver.mm)
		return;
	mmap_read_unlock(resolver.mm);
	resolver.mm = NULL;
	cond_resched();
}

void resolve_begin(void)
{
	resolver.patience = PATIENCE;
}

void resolve_end(const struct mm_struct *mm)
{
	if (!mm || mm == resolver.mm)
		unlock();
}

static struct task_struct *waiter;

/*
 * Waiting for an mmap lock has no timeout. Therefore this function sends the
 * worker a kill signal, which ends the wait.
 */
static void lose_patience(struct work_struct *work)
{
	(void)send_sig(SIGKILL, waiter, 1);
}

static DECLARE_DELAYED_WORK(patience_work, lose_patience);

/*
 * Calls take(mm), which waits for mm's mmap lock or for a signal. Returns 0;
 * -EBUSY: the wait was too long.
 */
static int take_in_time(struct mm_struct *mm, int (*take)(struct mm_struct *mm))
{
	unsigned long begin = jiffies, waited;
	int error;

	if (!resolver.patience)
		return -EBUSY;
	waiter = current;
	schedule_delayed_work(&patience_work, resolver.patience);
	error = take(mm);
	cancel_delayed_work_sync(&patience_work);
	flush_signals(current);
	waited = jiffies - begin;
	resolver.patience -= min(waited, resolver.patience);
	return error ? -EBUSY : 0;
}

static int take_to_read(struct mm_struct *mm)
{
	return mmap_read_lock_killable(mm);
}

static int take_to_write(struct mm_struct *mm)
{
	return mmap_write_lock_killable(mm);
}

static void begin_locked(struct mm_struct *mm, bool has_waited)
{
	resolver.mm = mm;
	resolver.nr_resolved = 0;
	resolver.has_waited = has_waited;
	resolver.has_records = unmapped_has(mm);
	memset(resolver.cache, 0, sizeof(resolver.cache));
}

/*
 * Locks mm's mmap lock for reading, unless it is already held. Returns 0;
 * -EBUSY: the wait was too long.
 */
static int lock(struct mm_struct *mm)
{
	int error = 0;

	if (resolver.mm == mm && resolver.nr_resolved++ < NR_LOCKED_MAX)
		return 0;
	unlock();
	if (!mmap_read_trylock(mm))
		error = take_in_time(mm, take_to_read);
	if (!error)
		begin_locked(mm, false);
	return error;
}

/*
 * Waits until all unmappings that have begun are recorded. munmap(2) removes a
 * mapping while it holds the lock for writing, and records the unmapping
 * later, while it holds the lock only for reading. Therefore this function
 * takes the lock for writing once. Returns 0; -EBUSY: the wait was too long,
 * and the lock is no longer held.
 */
static int wait_for_unmappings(struct mm_struct *mm)
{
	int error;

	unlock();
	error = take_in_time(mm, take_to_write);
	if (error)
		return error;
	mmap_write_downgrade(mm);
	begin_locked(mm, true);
	return 0;
}

static bool cache_find(u64 address, struct oprof_frame *frame)
{
	u64 page = address >> PAGE_SHIFT;
	u32 index = hash_64(page, CACHE_ORDER);

	if (resolver.has_records || resolver.cache[index].page != page)
		return false;
	frame->image = resolver.cache[index].image;
	frame->offset = address + resolver.cache[index].add;
	return true;
}

static void cache_add(u64 address, const struct oprof_frame *frame)
{
	u64 page = address >> PAGE_SHIFT;
	u32 index = hash_64(page, CACHE_ORDER);

	resolver.cache[index].page = page;
	resolver.cache[index].image = frame->image;
	resolver.cache[index].add = frame->offset - address;
}

/* ---- mappings and their images ---- */

static const struct inode *path_inode(struct file *file)
{
	return d_inode(compat_file_user_path(file)->dentry);
}

/*
 * Returns whether the file only represents memory: it is a device, or belongs
 * to shared anonymous memory, to shared memory of System V, to memfd_create()
 * or to huge pages. Returns false if the file contains mm's program itself.
 */
static bool is_unfiled(struct mm_struct *mm, struct file *file)
{
	const struct inode *inode = path_inode(file);
	struct file *program;
	bool is_program;

	if (S_ISREG(inode->i_mode) && !(inode->i_sb->s_flags & (SB_NOUSER | SB_KERNMOUNT)))
		return false;
	program = compat_exe_file(mm);
	if (!program)
		return true;
	is_program = path_inode(program) == inode;
	fput(program);
	return !is_program;
}

static const char *path_name(struct file *file)
{
	const char *name = d_path(compat_file_user_path(file), resolver.name, PATH_MAX);

	return IS_ERR(name) ? "" : name;
}

/* Returns the mapping's name as /proc/PID/maps shows it. */
static const char *vma_name(struct vm_area_struct *vma)
{
	const struct mm_struct *mm = vma->vm_mm;
	const char *name = NULL;

	if (vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (name)
		return name;
	if (vma->vm_start <= READ_ONCE(mm->brk) && vma->vm_end >= READ_ONCE(mm->start_brk))
		return "[heap]";
	if (vma->vm_start <= READ_ONCE(mm->start_stack) &&
	    vma->vm_end >= READ_ONCE(mm->start_stack))
		return "[stack]";
	return "";
}

static int frame_of_region(const struct resolve_place *place, const char *name,
			   const struct unmapped_mapping *mapping, u64 address,
			   struct oprof_frame *frame)
{
	u32 cookie;
	u64 from;
	int error = image_of_region(place->generation, name, mapping->start, mapping->end, &cookie,
				    &from);

	if (error)
		return error;
	frame->image = cookie;
	frame->offset = address - from;
	return 0;
}

static int frame_of_file(const struct resolve_place *place, const struct unmapped_mapping *mapping,
			 u64 address, struct oprof_frame *frame)
{
	u32 cookie;
	int error;

	if (is_unfiled(place->mm, mapping->file))
		return frame_of_region(place, path_name(mapping->file), mapping, address, frame);
	error = image_of_file(mapping->file, &cookie);
	if (error)
		return error;
	frame->image = cookie;
	frame->offset = address - mapping->start + mapping->offset;
	return 0;
}

static int frame_of_vma(const struct resolve_place *place, struct vm_area_struct *vma, u64 address,
			struct oprof_frame *frame)
{
	const struct unmapped_mapping mapping = {
		.file = vma->vm_file,
		.start = vma->vm_start,
		.end = vma->vm_end,
		.offset = (u64)vma->vm_pgoff << PAGE_SHIFT,
	};
	int error;

	if (vma->vm_file)
		error = frame_of_file(place, &mapping, address, frame);
	else
		error = frame_of_region(place, vma_name(vma), &mapping, address, frame);
	if (!error)
		cache_add(address, frame);
	return error;
}

static int frame_of_unmapped(const struct resolve_place *place,
			     const struct unmapped_mapping *mapping, u64 address,
			     struct oprof_frame *frame)
{
	int error = frame_of_file(place, mapping, address, frame);

	if (!error && place->leaf)
		stats_add(place->cpu, STATS_unmaps_used, 1);
	return error;
}

/*
 * The mmap lock must be held. A caller's address is read from the program's
 * memory and may be wrong. Therefore an image is created, or a file is held,
 * for such an address only if the address lies in executable memory.
 */
static int look_up(const struct resolve_place *place, u64 address, struct oprof_frame *frame)
{
	const struct unmapped_question question = {
		.mm = place->mm,
		.address = address,
		.stamp = place->stamp,
		.tid = place->tid,
	};
	struct unmapped_mapping gone;
	struct vm_area_struct *vma;
	int found = unmapped_find(&question, &gone);

	if (found < 0)
		return found;
	if (found)
		return frame_of_unmapped(place, &gone, address, frame);
	vma = find_vma(place->mm, address);
	if (vma && vma->vm_start > address)
		vma = NULL;
	if ((!vma || !vma->vm_file) && unmapped_find_last(&question, !vma, &gone))
		return frame_of_unmapped(place, &gone, address, frame);
	if (!vma || (!place->leaf && !(vma->vm_flags & VM_EXEC)))
		return -ENOENT;
	return frame_of_vma(place, vma, address, frame);
}

int resolve_user(const struct resolve_place *place, u64 address, struct oprof_frame *frame)
{
	int error;

	*frame = (struct oprof_frame){
		.image = OPROF_IMAGE_NONE,
		.mode = OPROF_MODE_USER,
		.offset = address,
	};
	if (compat_is_vsyscall(address))
		return 0; /* readers recognise this page by its address */
	if (!place->mm)
		return -ENOENT;
	error = lock(place->mm);
	if (error)
		return error;
	if (cache_find(address, frame))
		return 0;
	error = look_up(place, address, frame);
	if (error == -ENOENT && place->leaf && unmapped_works() && !resolver.has_waited) {
		error = wait_for_unmappings(place->mm);
		if (!error)
			error = look_up(place, address, frame);
	}
	return error;
}

int resolve_program(struct mm_struct *mm, u32 *cookie)
{
	struct file *file = compat_exe_file(mm);
	int error;

	*cookie = OPROF_IMAGE_NONE;
	if (!file)
		return 0;
	error = image_of_file(file, cookie);
	fput(file);
	return error;
}
