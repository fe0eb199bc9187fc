/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The entries that the CPUs write into their rings for the sync worker:
 * payloads of ring records, aligned to 8 bytes. Entries never leave the kernel.
 *
 * A sample contains the CPU's position in the code. The preceding CONTEXT entry
 * of the same level contains the task. Writers nest (an NMI interrupts a timer
 * interrupt, which interrupts the switch probe), so each level has its own
 * contexts, and no level waits for another level. Each sample contains the id
 * of its context. By this id the reader detects that the CONTEXT entry was
 * lost, and does not attribute the sample to a wrong task.
 */
#ifndef KMOD_ENTRY_H
#define KMOD_ENTRY_H

#include <linux/types.h>

struct mm_struct;
struct pid;

/* Event ids of the ring (compact headers). */
enum entry_type {
	ENTRY_CONTEXT = 0,
	ENTRY_SAMPLE = 1,
	ENTRY_SWITCH = 2,
	ENTRY_NR,
};

/* The level of a writer. A writer can be interrupted only by writers of later levels. */
enum entry_level {
	ENTRY_LEVEL_TASK, /* the switch probe */
	ENTRY_LEVEL_INTERRUPT,
	ENTRY_LEVEL_NMI,
	ENTRY_NR_LEVELS,
};

#define ENTRY_ID_MASK 0xffffffu

/*
 * The entry has references to mm (by mmget; dropped by mmput_async) and to
 * process (by get_pid). The worker drops these references when it reads the
 * next context of this CPU and level, or at most two passes after it read this
 * context.
 */
struct entry_context {
	struct mm_struct *mm; /* NULL: a kernel thread, or a task that has exited */
	struct pid *process; /* pid of the thread group; NULL: the idle task, or a reaped process */
	u64 cgroup;	     /* 0: not requested */
	s32 tgid, tid;	     /* ids in the initial pid namespace; 0: the idle task */
	u32 id;		     /* at most ENTRY_ID_MASK */
	u32 level;	     /* enum entry_level */
};

#define ENTRY_SAMPLE_TRUNCATED 1u /* the chain lacks some callers */
#define ENTRY_SAMPLE_BROKEN    2u /* the chain ends where a frame could not be read */
#define ENTRY_SAMPLE_LINK      4u /* a link is among the callers in the program (chain.h) */

struct entry_sample {
	u64 address;
	u64 period;
	u32 id; /* id of the sample's context */
	u8 level;
	u8 event;
	u8 user; /* 1: `address` is in the program */
	u8 flags;
	u16 nr_kernel, nr_user; /* callers, leaf first: in the kernel, then in the program */
	u32 reserved;
	u64 chain[];
};

/* The CPU switched between two contexts, both of level TASK. */
struct entry_switch {
	u32 from_id, to_id;
	u32 preempted; /* 1: the task that left was still ready to run */
	u32 dead;      /* 1: the task that left has exited */
};

#endif
