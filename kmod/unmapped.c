// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/unmapped.h"

#include <linux/errno.h>
#include <linux/file.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/spinlock.h>

#include "kmod/sampler.h"
#include "kmod/stamp.h"
#include "kmod/stats.h"

#define BUCKETS_ORDER 8
#define NR_BUCKETS    (1u << BUCKETS_ORDER)
/*
 * The assumed maximum delay of a stamp: a sample's stamp is read after its
 * address. Where unmapping does not interrupt other CPUs (arm64), a CPU may
 * sample an address in the old mapping and read the stamp when the new mapping
 * already exists.
 */
#define STAMP_LATE_NS 100000u

enum record_kind {
	RECORD_UNMAPPED,
	RECORD_MAPPED,
};

struct vma_record {
	struct hlist_node node; /* in a bucket, selected by mm; or in the free list */
	struct list_head all;	/* oldest first */
	struct mm_struct *mm;	/* held by mmgrab(), so that no other mm gets this address */
	struct unmapped_mapping mapping;
	u64 stamp;
	u64 number; /* sequence number; orders records that have the same stamp */
	s32 tid;    /* thread that removed or made the mapping */
	enum record_kind kind;
};

/*
 * The probes and the worker take this lock. No other lock is taken while it is
 * held. It is a raw lock, and nothing is allocated while it is held, because
 * the probes must not sleep, even on PREEMPT_RT. Neither NMIs nor interrupts
 * take it.
 */
static DEFINE_RAW_SPINLOCK(lock);
static struct {
	bool works;
	struct vma_record *records;
	struct hlist_head free;
	struct hlist_head *buckets;
	struct list_head all;
	u64 last_number;
	u32 nr; /* records in use; may be read without the lock */
	/*
	 * If has_lost is set, unmappings or mappings were not recorded,
	 * because no record was free. Their stamps lie between first_lost and
	 * last_lost. The bits of lost_buckets show the buckets of their address
	 * spaces.
	 */
	bool has_lost;
	u64 first_lost, last_lost;
	DECLARE_BITMAP(lost_buckets, NR_BUCKETS);
	/* Used by the worker only. */
	u64 pass_begin; /* stamp at which the preceding pass started */
} unmapped;

/* ---- the probes ---- */

/*
 * If a probe uses a breakpoint, lockdep treats the probe as an NMI, and an NMI
 * must not wait for a lock that other contexts take. For these probes waiting
 * is safe, since no probe can interrupt the holder of the lock.
 */
static void lock_in_probe(void) __acquires(&lock)
{
	while (!raw_spin_trylock(&lock))
		cpu_relax();
}

static u32 bucket_of(const struct mm_struct *mm)
{
	return hash_ptr(mm, BUCKETS_ORDER);
}

static void lose_locked(const struct mm_struct *mm, u64 stamp)
{
	if (!unmapped.has_lost)
		unmapped.first_lost = stamp;
	unmapped.last_lost = stamp;
	unmapped.has_lost = true;
	__set_bit(bucket_of(mm), unmapped.lost_buckets);
	stats_inc_nmi(STATS_unmaps_lost);
}

static struct vma_record *record_take_locked(void)
{
	struct vma_record *record;

	if (hlist_empty(&unmapped.free))
		return NULL;
	record = hlist_entry(unmapped.free.first, struct vma_record, node);
	hlist_del(&record->node);
	WRITE_ONCE(unmapped.nr, unmapped.nr + 1);
	return record;
}

static void record_fill(struct vma_record *record, enum record_kind kind,
			struct vm_area_struct *vma, u64 start, u64 end)
{
	record->kind = kind;
	record->tid = current->pid;
	record->mm = vma->vm_mm;
	mmgrab(record->mm);
	record->mapping = (struct unmapped_mapping){
		.file = get_file(vma->vm_file),
		.start = start,
		.end = end,
		.offset = ((u64)vma->vm_pgoff << PAGE_SHIFT) + (start - vma->vm_start),
	};
}

/* Preemption is off. The caller holds the mmap lock, so vma does not change. */
static void note(enum record_kind kind, struct vm_area_struct *vma, u64 start, u64 end)
{
	struct mm_struct *mm = vma->vm_mm;
	struct vma_record *record;
	u64 stamp;

	if (!vma->vm_file || !(vma->vm_flags & VM_EXEC) || !atomic_read(&mm->mm_users) ||
	    !sampler_has_seen_mm(mm))
		return;
	start = max_t(u64, start, vma->vm_start);
	end = min_t(u64, end, vma->vm_end);
	if (start >= end)
		return;
	lock_in_probe();
	stamp = stamp_now();
	record = record_take_locked();
	if (record) {
		record_fill(record, kind, vma, start, end);
		record->stamp = stamp;
		record->number = ++unmapped.last_number;
		hlist_add_head(&record->node, &unmapped.buckets[bucket_of(mm)]);
		list_add_tail(&record->all, &unmapped.all);
		if (kind == RECORD_UNMAPPED)
			stats_inc_nmi(STATS_unmaps);
	} else {
		lose_locked(mm, stamp);
	}
	raw_spin_unlock(&lock);
}

#if defined(CONFIG_KPROBES) && defined(CONFIG_UPROBES)

/*
 * Called as uprobe_munmap(vma, start, end), before a file mapping is removed.
 * The kernel calls uprobe_munmap() for uprobes; we probe it because the kernel
 * has no such hook for modules. The kernel also calls uprobe_munmap() when a
 * process exits. In this case both uprobe_munmap() and note() do nothing.
 * Control-flow integrity is not violated: kprobes calls the handler through a
 * pointer of its declared type.
 */
static int before_unmapping(struct kprobe *probe, struct pt_regs *regs)
{
	note(RECORD_UNMAPPED, (struct vm_area_struct *)regs_get_kernel_argument(regs, 0),
	     regs_get_kernel_argument(regs, 1), regs_get_kernel_argument(regs, 2));
	return 0;
}
NOKPROBE_SYMBOL(before_unmapping);

/* Called as uprobe_mmap(vma): the mapping exists, and the mmap lock is still held for writing. */
static int after_mapping(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);

	note(RECORD_MAPPED, vma, vma->vm_start, vma->vm_end);
	return 0;
}
NOKPROBE_SYMBOL(after_mapping);

static struct kprobe unmapping_probe, mapping_probe;

static int probes_register(void)
{
	int error;

	/* A kprobe must be initialised again before it is registered again. */
	unmapping_probe = (struct kprobe){
		.symbol_name = "uprobe_munmap",
		.pre_handler = before_unmapping,
	};
	mapping_probe = (struct kprobe){
		.symbol_name = "uprobe_mmap",
		.pre_handler = after_mapping,
	};
	error = register_kprobe(&mapping_probe);
	if (error)
		return error;
	error = register_kprobe(&unmapping_probe);
	if (error)
		unregister_kprobe(&mapping_probe);
	return error;
}

static void probes_unregister(void)
{
	unregister_kprobe(&unmapping_probe);
	unregister_kprobe(&mapping_probe);
}

#else

static int probes_register(void)
{
	return -ENOENT;
}

static void probes_unregister(void)
{
}

#endif

/* ---- open and close ---- */

static void put_record(struct vma_record *record)
{
	fput(record->mapping.file);
	mmdrop(record->mm);
}

static int pool_create(void)
{
	u32 i;

	unmapped.records = kvcalloc(UNMAPPED_NR_MAX, sizeof(*unmapped.records), GFP_KERNEL);
	unmapped.buckets = kvcalloc(NR_BUCKETS, sizeof(*unmapped.buckets), GFP_KERNEL);
	if (!unmapped.records || !unmapped.buckets) {
		kvfree(unmapped.records);
		kvfree(unmapped.buckets);
		return -ENOMEM;
	}
	INIT_HLIST_HEAD(&unmapped.free);
	for (i = 0; i < UNMAPPED_NR_MAX; i++)
		hlist_add_head(&unmapped.records[i].node, &unmapped.free);
	INIT_LIST_HEAD(&unmapped.all);
	unmapped.nr = 0;
	unmapped.has_lost = false;
	bitmap_zero(unmapped.lost_buckets, NR_BUCKETS);
	unmapped.pass_begin = 0;
	return 0;
}

int unmapped_open(void)
{
	int error = pool_create();

	if (error)
		return error;
	error = probes_register();
	unmapped.works = !error;
	if (error)
		pr_info("oprof: cannot detect unmappings (error %d): samples in unmapped code may be attributed to a later mapping at the same address\n",
			error);
	return 0;
}

void unmapped_close(void)
{
	struct vma_record *record;

	if (unmapped.works)
		probes_unregister();
	unmapped.works = false;
	list_for_each_entry(record, &unmapped.all, all) put_record(record);
	kvfree(unmapped.records);
	kvfree(unmapped.buckets);
}

bool unmapped_works(void)
{
	return unmapped.works;
}

/* ---- the worker ---- */

/*
 * The records of an address that are nearest to a stamp. A mapping that was not
 * executable when it was created has no record, even if mprotect() makes it
 * executable later. For code in such a mapping, the present mapping is used.
 */
struct view {
	const struct vma_record *next; /* the first record at or after the stamp, of any kind */
	/* the last unmapping and the last mapping before the stamp */
	const struct vma_record *unmapped;
	const struct vma_record *mapped;
};

static bool concerns(const struct vma_record *record, const struct mm_struct *mm, u64 address)
{
	return record->mm == mm && record->mapping.start <= address &&
	       address < record->mapping.end;
}

static void keep_later(const struct vma_record **kept, const struct vma_record *record)
{
	if (!*kept || (*kept)->number < record->number)
		*kept = record;
}

static void view_locked(struct view *view, const struct mm_struct *mm, u64 address, u64 stamp)
{
	const struct vma_record *record;

	*view = (struct view){.next = NULL};
	hlist_for_each_entry(record, &unmapped.buckets[bucket_of(mm)], node)
	{
		if (!concerns(record, mm, address))
			continue;
		if (record->stamp >= stamp) {
			if (!view->next || record->number < view->next->number)
				view->next = record;
		} else if (record->kind == RECORD_MAPPED) {
			keep_later(&view->mapped, record);
		} else {
			keep_later(&view->unmapped, record);
		}
	}
}

/*
 * Returns the last unmapping before the stamp if no mapping was made between
 * this unmapping and the stamp, else NULL.
 */
static const struct vma_record *view_gone(const struct view *view)
{
	if (view->unmapped && view->mapped && view->mapped->number > view->unmapped->number)
		return NULL;
	return view->unmapped;
}

static bool is_within_late(u64 then, u64 stamp)
{
	return stamp_to_ns(stamp) - stamp_to_ns(then) < STAMP_LATE_NS;
}

static bool is_same_code(const struct unmapped_mapping *a, const struct unmapped_mapping *b)
{
	return file_inode(a->file) == file_inode(b->file) &&
	       a->offset - a->start == b->offset - b->start;
}

/*
 * Returns whether the mapping was made so shortly before the sample that the
 * sample may belong to the previous mapping. For samples of the thread that
 * made the mapping, the result is always false, because a thread's own actions
 * are in order.
 */
static bool is_doubtful_locked(const struct view *view, const struct unmapped_question *question)
{
	struct view earlier;

	if (!view->mapped || view->mapped->tid == question->tid ||
	    !is_within_late(view->mapped->stamp, question->stamp))
		return false;
	view_locked(&earlier, question->mm, question->address, view->mapped->stamp);
	return earlier.unmapped &&
	       !is_same_code(&earlier.unmapped->mapping, &view->mapped->mapping);
}

/* Returns whether a record after `stamp` that would precede `next` may have been lost. */
static bool has_lost_locked(const struct mm_struct *mm, u64 stamp, const struct vma_record *next)
{
	if (!unmapped.has_lost || !test_bit(bucket_of(mm), unmapped.lost_buckets) ||
	    stamp > unmapped.last_lost)
		return false;
	return !next || next->stamp >= unmapped.first_lost;
}

static int find_locked(const struct unmapped_question *question, struct unmapped_mapping *mapping)
{
	const struct vma_record *found;
	struct view view;

	view_locked(&view, question->mm, question->address, question->stamp);
	if (has_lost_locked(question->mm, question->stamp, view.next) ||
	    is_doubtful_locked(&view, question))
		return -ENOBUFS;
	found = view.next;
	/*
	 * If the next record is a new mapping, nothing was mapped at the time
	 * of the sample's stamp: the thread was still running in the mapping
	 * that had just been removed.
	 */
	if (found && found->kind == RECORD_MAPPED)
		found = view_gone(&view);
	if (!found)
		return 0;
	*mapping = found->mapping;
	return 1;
}

int unmapped_find(const struct unmapped_question *question, struct unmapped_mapping *mapping)
{
	int found;

	raw_spin_lock(&lock);
	found = find_locked(question, mapping);
	raw_spin_unlock(&lock);
	return found;
}

int unmapped_find_last(const struct unmapped_question *question, bool at_all,
		       struct unmapped_mapping *mapping)
{
	const struct vma_record *gone;
	struct view view;
	int found = 0;

	raw_spin_lock(&lock);
	view_locked(&view, question->mm, question->address, question->stamp);
	gone = view_gone(&view);
	if (gone && (at_all || is_within_late(gone->stamp, question->stamp))) {
		*mapping = gone->mapping;
		found = 1;
	}
	raw_spin_unlock(&lock);
	return found;
}

bool unmapped_has(struct mm_struct *mm)
{
	const struct vma_record *record;
	bool found = false;

	raw_spin_lock(&lock);
	if (unmapped.has_lost && test_bit(bucket_of(mm), unmapped.lost_buckets))
		found = true;
	hlist_for_each_entry(record, &unmapped.buckets[bucket_of(mm)], node) found =
		found || record->mm == mm;
	raw_spin_unlock(&lock);
	return found;
}

/*
 * Removes the oldest record from the lists if its stamp is less than `before`.
 * Returns this record, which the caller must free, or NULL.
 */
static struct vma_record *record_expire(u64 before)
{
	struct vma_record *record;

	raw_spin_lock(&lock);
	record = list_first_entry_or_null(&unmapped.all, struct vma_record, all);
	if (record && record->stamp < before) {
		list_del(&record->all);
		hlist_del(&record->node);
	} else {
		record = NULL;
	}
	raw_spin_unlock(&lock);
	return record;
}

static void record_free(struct vma_record *record)
{
	raw_spin_lock(&lock);
	hlist_add_head(&record->node, &unmapped.free);
	WRITE_ONCE(unmapped.nr, unmapped.nr - 1);
	raw_spin_unlock(&lock);
}

void unmapped_tend(u64 begin)
{
	u64 before = unmapped.pass_begin;
	struct vma_record *record;

	unmapped.pass_begin = begin;
	if (READ_ONCE(unmapped.nr)) {
		while ((record = record_expire(before))) {
			put_record(record);
			record_free(record);
		}
	}
	raw_spin_lock(&lock);
	if (unmapped.has_lost && unmapped.last_lost < before) {
		unmapped.has_lost = false;
		bitmap_zero(unmapped.lost_buckets, NR_BUCKETS);
	}
	raw_spin_unlock(&lock);
}
