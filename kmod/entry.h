/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the CPUs write into their rings and the sync worker reads: payloads of
 * the ring's records, 8-byte aligned. Never leaves the kernel.
 *
 * A sample says where; whose it is says the CONTEXT record before it of the
 * same level: writers nest (an NMI over a timer interrupt over the switch
 * probe), so each level has contexts of its own, and none has to wait for
 * another. A context's id is repeated in its samples: one whose CONTEXT was
 * lost is detected, not given to the wrong task.
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

/* Who writes: each may be interrupted by those behind it only. */
enum entry_level {
	ENTRY_LEVEL_TASK, /* the switch probe */
	ENTRY_LEVEL_INTERRUPT,
	ENTRY_LEVEL_NMI,
	ENTRY_NR_LEVELS,
};

#define ENTRY_ID_MASK 0xffffffu

/*
 * References: of mm a user's (mmget; let go by mmput_async), of process one
 * (get_pid). The worker lets them go when the next context of this CPU and
 * level has come, or two passes after the one that read it.
 */
struct entry_context {
	struct mm_struct *mm; /* NULL: a kernel thread, or one past its end */
	struct pid *process;  /* of its thread group; NULL: idle, or no longer hashed */
	u64 cgroup;	      /* 0: not asked for */
	s32 tgid, tid;	      /* in the initial pid namespace; 0: idle */
	u32 id;		      /* ENTRY_ID_MASK */
	u32 level;	      /* enum entry_level */
};

#define ENTRY_SAMPLE_TRUNCATED 1u /* the chain has more callers */
#define ENTRY_SAMPLE_BROKEN    2u /* it ends where one could not be read */
#define ENTRY_SAMPLE_LINK      4u /* among the program's callers there is a link (chain.h) */

struct entry_sample {
	u64 address;
	u64 period;
	u32 id; /* of its context */
	u8 level;
	u8 event;
	u8 user; /* 1: address is the program's */
	u8 flags;
	u16 nr_kernel, nr_user; /* callers: first those in the kernel, leaf first */
	u32 reserved;
	u64 chain[];
};

/* The CPU went from one context to another, both of level TASK. */
struct entry_switch {
	u32 from_id, to_id;
	u32 preempted; /* 1: who left was ready to run on */
	u32 dead;      /* 1: who left never comes back */
};

#endif
