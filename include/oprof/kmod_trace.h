/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Tracing by the kernel module: the file "trace" of the control filesystem (doc/kmod-trace.md).
 * Each open(2) of this file makes a trace session. The session ends when its descriptor and all
 * ring descriptors made from it are closed. The session's rings contain packets (oprof/packet.h),
 * which are written to a trace folder unchanged.
 *
 * This header has the layouts of all records that the module writes, and the ioctl calls. The
 * module and the daemon both compile the layouts from the same tables.
 *
 * This header compiles alone in the kernel, in C and in C++.
 */
#ifndef OPROF_KMOD_TRACE_H
#define OPROF_KMOD_TRACE_H

#include "oprof/packet.h"

#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
#include <sys/ioctl.h>
#endif

/* Incremented when an older daemon would misread the records. */
#define OPROF_KTRACE_VERSION 1
#define OPROF_KTRACE_FILE    "trace" /* name of the file in the control filesystem */

/* ---- events with a probe of their own ---- */

/* X(KIND, kind, system, tracepoint, name): a tracepoint. `name` is the event's name in a trace. */
#define OPROF_KTRACE_EVENTS(X)                                                                     \
	X(SCHED_SWITCH, sched_switch, "sched", "sched_switch", "sched_switch")                     \
	X(SCHED_WAKEUP, sched_wakeup, "sched", "sched_wakeup", "sched_wakeup")                     \
	X(SCHED_WAKEUP_NEW, sched_wakeup_new, "sched", "sched_wakeup_new", "sched_wakeup_new")     \
	X(SCHED_WAKING, sched_waking, "sched", "sched_waking", "sched_waking")                     \
	X(SCHED_MIGRATE_TASK, sched_migrate_task, "sched", "sched_migrate_task",                   \
	  "sched_migrate_task")                                                                    \
	X(SCHED_PROCESS_FORK, sched_process_fork, "sched", "sched_process_fork",                   \
	  "sched_process_fork")                                                                    \
	X(SCHED_PROCESS_EXEC, sched_process_exec, "sched", "sched_process_exec",                   \
	  "sched_process_exec")                                                                    \
	X(SCHED_PROCESS_EXIT, sched_process_exit, "sched", "sched_process_exit",                   \
	  "sched_process_exit")                                                                    \
	X(SCHED_PROCESS_FREE, sched_process_free, "sched", "sched_process_free",                   \
	  "sched_process_free")                                                                    \
	X(IRQ_HANDLER_ENTRY, irq_handler_entry, "irq", "irq_handler_entry", "irq_handler_entry")   \
	X(IRQ_HANDLER_EXIT, irq_handler_exit, "irq", "irq_handler_exit", "irq_handler_exit")       \
	X(SOFTIRQ_ENTRY, softirq_entry, "irq", "softirq_entry", "irq_softirq_entry")               \
	X(SOFTIRQ_EXIT, softirq_exit, "irq", "softirq_exit", "irq_softirq_exit")                   \
	X(SOFTIRQ_RAISE, softirq_raise, "irq", "softirq_raise", "irq_softirq_raise")               \
	X(TIMER_START, timer_start, "timer", "timer_start", "timer_start")                         \
	X(TIMER_EXPIRE_ENTRY, timer_expire_entry, "timer", "timer_expire_entry",                   \
	  "timer_expire_entry")                                                                    \
	X(TIMER_EXPIRE_EXIT, timer_expire_exit, "timer", "timer_expire_exit", "timer_expire_exit") \
	X(TIMER_CANCEL, timer_cancel, "timer", "timer_cancel", "timer_cancel")                     \
	X(HRTIMER_START, hrtimer_start, "timer", "hrtimer_start", "timer_hrtimer_start")           \
	X(HRTIMER_EXPIRE_ENTRY, hrtimer_expire_entry, "timer", "hrtimer_expire_entry",             \
	  "timer_hrtimer_expire_entry")                                                            \
	X(HRTIMER_EXPIRE_EXIT, hrtimer_expire_exit, "timer", "hrtimer_expire_exit",                \
	  "timer_hrtimer_expire_exit")                                                             \
	X(HRTIMER_CANCEL, hrtimer_cancel, "timer", "hrtimer_cancel", "timer_hrtimer_cancel")       \
	X(PAGE_FAULT_USER, page_fault_user, "exceptions", "page_fault_user",                       \
	  "x86_exceptions_page_fault_user")                                                        \
	X(PAGE_FAULT_KERNEL, page_fault_kernel, "exceptions", "page_fault_kernel",                 \
	  "x86_exceptions_page_fault_kernel")                                                      \
	X(BLOCK_RQ_INSERT, block_rq_insert, "block", "block_rq_insert", "block_rq_insert")         \
	X(BLOCK_RQ_ISSUE, block_rq_issue, "block", "block_rq_issue", "block_rq_issue")             \
	X(BLOCK_RQ_COMPLETE, block_rq_complete, "block", "block_rq_complete", "block_rq_complete") \
	X(NET_DEV_QUEUE, net_dev_queue, "net", "net_dev_queue", "net_dev_queue")                   \
	X(NET_DEV_XMIT, net_dev_xmit, "net", "net_dev_xmit", "net_dev_xmit")                       \
	X(NETIF_RECEIVE_SKB, netif_receive_skb, "net", "netif_receive_skb", "net_if_receive_skb")  \
	X(SIGNAL_GENERATE, signal_generate, "signal", "signal_generate", "signal_generate")        \
	X(SIGNAL_DELIVER, signal_deliver, "signal", "signal_deliver", "signal_deliver")

/*
 * Fields of these events, packed, in the order of the record:
 *	I(type, name, base)	an integer, to be printed in this base
 *	T(name, bytes)		a text of this many bytes, printed up to its first NUL
 *	S(name)			a string with its NUL, at most OPROF_KTRACE_STRING_BYTES_MAX;
 *				strings come last, so all other fields have the offsets of
 *				struct oprof_ktrace_payload_KIND
 */
#define OPROF_KTRACE_FIELDS_sched_switch(I, T, S)                                                  \
	T(prev_comm, 16)                                                                           \
	I(int32_t, prev_tid, 10)                                                                   \
	I(int32_t, prev_prio, 10)                                                                  \
	I(int64_t, prev_state, 10)                                                                 \
	T(next_comm, 16)                                                                           \
	I(int32_t, next_tid, 10)                                                                   \
	I(int32_t, next_prio, 10)
#define OPROF_KTRACE_FIELDS_WAKE(I, T, S)                                                          \
	T(comm, 16)                                                                                \
	I(int32_t, tid, 10)                                                                        \
	I(int32_t, prio, 10)                                                                       \
	I(int32_t, target_cpu, 10)
#define OPROF_KTRACE_FIELDS_sched_wakeup     OPROF_KTRACE_FIELDS_WAKE
#define OPROF_KTRACE_FIELDS_sched_wakeup_new OPROF_KTRACE_FIELDS_WAKE
#define OPROF_KTRACE_FIELDS_sched_waking     OPROF_KTRACE_FIELDS_WAKE
#define OPROF_KTRACE_FIELDS_sched_migrate_task(I, T, S)                                            \
	T(comm, 16)                                                                                \
	I(int32_t, tid, 10)                                                                        \
	I(int32_t, prio, 10)                                                                       \
	I(int32_t, orig_cpu, 10)                                                                   \
	I(int32_t, dest_cpu, 10)
#define OPROF_KTRACE_FIELDS_sched_process_fork(I, T, S)                                            \
	T(parent_comm, 16)                                                                         \
	I(int32_t, parent_tid, 10)                                                                 \
	I(int32_t, parent_pid, 10)                                                                 \
	T(child_comm, 16)                                                                          \
	I(int32_t, child_tid, 10)                                                                  \
	I(int32_t, child_pid, 10)
#define OPROF_KTRACE_FIELDS_sched_process_exec(I, T, S)                                            \
	I(int32_t, tid, 10)                                                                        \
	I(int32_t, old_tid, 10)                                                                    \
	S(filename)
#define OPROF_KTRACE_FIELDS_TASK(I, T, S)                                                          \
	T(comm, 16)                                                                                \
	I(int32_t, tid, 10)                                                                        \
	I(int32_t, prio, 10)
#define OPROF_KTRACE_FIELDS_sched_process_exit OPROF_KTRACE_FIELDS_TASK
#define OPROF_KTRACE_FIELDS_sched_process_free OPROF_KTRACE_FIELDS_TASK
#define OPROF_KTRACE_FIELDS_irq_handler_entry(I, T, S)                                             \
	I(int32_t, irq, 10)                                                                        \
	S(name)
#define OPROF_KTRACE_FIELDS_irq_handler_exit(I, T, S)                                              \
	I(int32_t, irq, 10)                                                                        \
	I(int32_t, ret, 10)
#define OPROF_KTRACE_FIELDS_VEC(I, T, S)  I(uint32_t, vec, 10)
#define OPROF_KTRACE_FIELDS_softirq_entry OPROF_KTRACE_FIELDS_VEC
#define OPROF_KTRACE_FIELDS_softirq_exit  OPROF_KTRACE_FIELDS_VEC
#define OPROF_KTRACE_FIELDS_softirq_raise OPROF_KTRACE_FIELDS_VEC
#define OPROF_KTRACE_FIELDS_timer_start(I, T, S)                                                   \
	I(uint64_t, timer, 16)                                                                     \
	I(uint64_t, function, 16)                                                                  \
	I(uint64_t, expires, 10)                                                                   \
	I(uint64_t, now, 10)                                                                       \
	I(uint32_t, flags, 16)
#define OPROF_KTRACE_FIELDS_timer_expire_entry(I, T, S)                                            \
	I(uint64_t, timer, 16)                                                                     \
	I(uint64_t, now, 10)                                                                       \
	I(uint64_t, function, 16)                                                                  \
	I(uint64_t, baseclk, 10)
#define OPROF_KTRACE_FIELDS_TIMER(I, T, S)    I(uint64_t, timer, 16)
#define OPROF_KTRACE_FIELDS_timer_expire_exit OPROF_KTRACE_FIELDS_TIMER
#define OPROF_KTRACE_FIELDS_timer_cancel      OPROF_KTRACE_FIELDS_TIMER
#define OPROF_KTRACE_FIELDS_hrtimer_start(I, T, S)                                                 \
	I(uint64_t, hrtimer, 16)                                                                   \
	I(uint64_t, function, 16)                                                                  \
	I(int64_t, expires, 10)                                                                    \
	I(int64_t, softexpires, 10)                                                                \
	I(uint32_t, mode, 10)
#define OPROF_KTRACE_FIELDS_hrtimer_expire_entry(I, T, S)                                          \
	I(uint64_t, hrtimer, 16)                                                                   \
	I(int64_t, now, 10)                                                                        \
	I(uint64_t, function, 16)
#define OPROF_KTRACE_FIELDS_HRTIMER(I, T, S)	I(uint64_t, hrtimer, 16)
#define OPROF_KTRACE_FIELDS_hrtimer_expire_exit OPROF_KTRACE_FIELDS_HRTIMER
#define OPROF_KTRACE_FIELDS_hrtimer_cancel	OPROF_KTRACE_FIELDS_HRTIMER
#define OPROF_KTRACE_FIELDS_FAULT(I, T, S)                                                         \
	I(uint64_t, address, 16)                                                                   \
	I(uint64_t, ip, 16)                                                                        \
	I(uint64_t, error_code, 10)
#define OPROF_KTRACE_FIELDS_page_fault_user   OPROF_KTRACE_FIELDS_FAULT
#define OPROF_KTRACE_FIELDS_page_fault_kernel OPROF_KTRACE_FIELDS_FAULT
#define OPROF_KTRACE_FIELDS_REQUEST(I, T, S)                                                       \
	I(uint32_t, dev, 10)                                                                       \
	I(uint64_t, sector, 10)                                                                    \
	I(uint32_t, nr_sector, 10)                                                                 \
	I(uint32_t, bytes, 10)                                                                     \
	T(rwbs, 12)                                                                                \
	T(comm, 16)
#define OPROF_KTRACE_FIELDS_block_rq_insert OPROF_KTRACE_FIELDS_REQUEST
#define OPROF_KTRACE_FIELDS_block_rq_issue  OPROF_KTRACE_FIELDS_REQUEST
#define OPROF_KTRACE_FIELDS_block_rq_complete(I, T, S)                                             \
	I(uint32_t, dev, 10)                                                                       \
	I(uint64_t, sector, 10)                                                                    \
	I(uint32_t, nr_sector, 10)                                                                 \
	I(int32_t, error, 10)                                                                      \
	T(rwbs, 12)
#define OPROF_KTRACE_FIELDS_PACKET(I, T, S)                                                        \
	I(uint64_t, skbaddr, 16)                                                                   \
	I(uint32_t, len, 10)                                                                       \
	S(name)
#define OPROF_KTRACE_FIELDS_net_dev_queue     OPROF_KTRACE_FIELDS_PACKET
#define OPROF_KTRACE_FIELDS_netif_receive_skb OPROF_KTRACE_FIELDS_PACKET
#define OPROF_KTRACE_FIELDS_net_dev_xmit(I, T, S)                                                  \
	I(uint64_t, skbaddr, 16)                                                                   \
	I(uint32_t, len, 10)                                                                       \
	I(int32_t, rc, 10)                                                                         \
	S(name)
#define OPROF_KTRACE_FIELDS_signal_generate(I, T, S)                                               \
	I(int32_t, sig, 10)                                                                        \
	I(int32_t, errno, 10)                                                                      \
	I(int32_t, code, 10)                                                                       \
	T(comm, 16)                                                                                \
	I(int32_t, pid, 10)                                                                        \
	I(int32_t, group, 10)                                                                      \
	I(int32_t, result, 10)
#define OPROF_KTRACE_FIELDS_signal_deliver(I, T, S)                                                \
	I(int32_t, sig, 10)                                                                        \
	I(int32_t, errno, 10)                                                                      \
	I(int32_t, code, 10)                                                                       \
	I(uint64_t, sa_handler, 16)                                                                \
	I(uint64_t, sa_flags, 16)

#define OPROF_KTRACE_ENUM(KIND, kind, system, tracepoint, name) OPROF_KTRACE_##KIND,
enum oprof_ktrace_kind { OPROF_KTRACE_EVENTS(OPROF_KTRACE_ENUM) OPROF_KTRACE_NR_KINDS };
#undef OPROF_KTRACE_ENUM

/*
 * struct oprof_ktrace_payload_KIND is the part of the record before its strings. The members have
 * the prefix f_, since a plain name such as "errno" may be a macro.
 */
#define OPROF_KTRACE_I(type, name, base) type f_##name;
#define OPROF_KTRACE_T(name, bytes)	 char f_##name[bytes];
#define OPROF_KTRACE_S(name)
#define OPROF_KTRACE_PAYLOAD(KIND, kind, system, tracepoint, name)                                 \
	struct oprof_ktrace_payload_##kind {                                                       \
		OPROF_KTRACE_FIELDS_##kind(OPROF_KTRACE_I, OPROF_KTRACE_T, OPROF_KTRACE_S)         \
	} __attribute__((packed));
OPROF_KTRACE_EVENTS(OPROF_KTRACE_PAYLOAD)
#undef OPROF_KTRACE_I
#undef OPROF_KTRACE_T
#undef OPROF_KTRACE_S
#undef OPROF_KTRACE_PAYLOAD

/* Maximum length of a string in a record, with its NUL; longer strings are truncated. */
#define OPROF_KTRACE_STRING_BYTES_MAX 4096u

/* ---- calls on a session ---- */

#define OPROF_KTRACE_CHANNELS_MAX   8u
#define OPROF_KTRACE_SYSCALL_ARGS   6u
#define OPROF_KTRACE_SYSCALLS_MAX   1024u
#define OPROF_KTRACE_NAMED_MAX	    512u
#define OPROF_KTRACE_COPIES_MAX	    256u
#define OPROF_KTRACE_SAMPLES_MAX    8u
#define OPROF_KTRACE_FILTER_IDS_MAX 1024u
#define OPROF_KTRACE_DEPTH_MAX	    127u

/* Properties of this module, of this kernel, and of the clock that gives the records' stamps. */
struct oprof_ktrace_info {
	uint32_t version;  /* OPROF_KTRACE_VERSION of the module */
	uint32_t nr_cpus;  /* rings of a channel; CPU numbers are less than nr_cpus */
	uint64_t kinds;	   /* bit n: this kernel has the tracepoint of kind n */
	uint32_t counter;  /* clock of stamps: 1: time-stamp counter; 0: CLOCK_MONOTONIC, ns */
	uint32_t syscalls; /* 1: system calls can be traced */
	uint64_t freq_hz;  /* ticks of the clock per second; for a counter, the kernel's estimate */
	/*
	 * Both clocks, read at the same time. The daemon computes the true rate of the counter
	 * from two calls that are some time apart. Without a counter, stamp equals monotonic_ns.
	 */
	uint64_t stamp;
	uint64_t monotonic_ns;
	uint64_t realtime_ns; /* CLOCK_REALTIME at monotonic_ns */
};

enum oprof_ktrace_mode {
	OPROF_KTRACE_DISCARD,	/* when a ring is full, the newest records are lost */
	OPROF_KTRACE_OVERWRITE, /* when a ring is full, its oldest sub-buffer is overwritten */
};

struct oprof_ktrace_channel {
	uint32_t mode;		   /* enum oprof_ktrace_mode */
	uint32_t sub_buffer_bytes; /* size in each ring; a power of two, and whole pages */
	uint32_t nr_sub_buffers;   /* a power of two, at least 2 */
	uint32_t stream_id;	   /* the packet headers get stream_id and uuid */
	uint64_t flush_period_ns;  /* 0: no periodic flush; else at least 1000000 */
	uint8_t uuid[16];
	uint32_t channel;  /* out: number of the channel, from 0 on */
	uint32_t reserved; /* 0 */
};

/*
 * A comparison: an event is recorded only if "number op value" is true, where number is the
 * integer at offset. The struct that contains the comparison defines the base of offset.
 */
enum oprof_ktrace_op {
	OPROF_KTRACE_ANY, /* no comparison */
	OPROF_KTRACE_EQ,
	OPROF_KTRACE_NE,
	OPROF_KTRACE_LT,
	OPROF_KTRACE_LE,
	OPROF_KTRACE_GT,
	OPROF_KTRACE_GE,
	OPROF_KTRACE_AND, /* number and value have a common bit */
	OPROF_KTRACE_NR_OPS,
};

struct oprof_ktrace_compare {
	uint8_t op;	   /* enum oprof_ktrace_op */
	uint8_t bytes;	   /* size of the number: 1, 2, 4 or 8 */
	uint8_t is_signed; /* 1: the number is signed, and value is an int64_t */
	uint8_t reserved;  /* 0 */
	uint32_t offset;
	uint64_t value;
};

/* Adds an event of a kind to a channel. A session can have each kind only once. */
struct oprof_ktrace_event {
	uint32_t channel;
	uint32_t kind; /* enum oprof_ktrace_kind */
	uint32_t event_id;
	uint32_t reserved;		     /* 0 */
	struct oprof_ktrace_compare compare; /* the number at `offset` in the payload's struct */
};

#define OPROF_KTRACE_NO_EVENT 0xffffffffu /* used as an id: the event is not recorded */

/*
 * A system call. The record of its entry has the selected arguments, packed. An argument is
 * recorded as its low arg_bytes bytes (1, 2, 4 or 8; 0: the argument is omitted). If the
 * argument's bit in `strings` is set, the argument points to a string in the program's memory, and
 * the record has this string with its NUL instead. The record of the exit has the result, an
 * int64_t.
 */
struct oprof_ktrace_syscall {
	uint32_t entry_id, exit_id; /* event ids, or OPROF_KTRACE_NO_EVENT */
	uint8_t is_known;	    /* 0: the ids for unknown calls are used instead */
	uint8_t arg_bytes[OPROF_KTRACE_SYSCALL_ARGS];
	uint8_t strings;		   /* bit n: argument n is a string */
	struct oprof_ktrace_compare entry; /* the number at `offset` in uint64_t args[6] */
	struct oprof_ktrace_compare exit;  /* the number at `offset` in int64_t ret */
};

/*
 * Adds all system calls to a channel; once per session. System calls that are not in the table,
 * and all system calls of 32-bit programs, have records {int64_t id, uint64_t args[6]} and
 * {int64_t id, int64_t ret}.
 */
struct oprof_ktrace_syscalls {
	uint32_t channel;
	uint32_t nr_calls;
	uint64_t calls; /* pointer to struct oprof_ktrace_syscall[nr_calls], indexed by number */
	uint32_t unknown_entry_id, unknown_exit_id; /* event ids, or OPROF_KTRACE_NO_EVENT */
};

/*
 * Kinds of pieces. The module makes the trace's record from pieces that it copies from the raw
 * record. For a string or array, the 32-bit word at `offset` (__data_loc) contains its position
 * and length.
 */
enum oprof_ktrace_copy_kind {
	OPROF_KTRACE_COPY_STRETCH,  /* bytes at `offset`, unchanged */
	OPROF_KTRACE_COPY_STRING,   /* a string up to its NUL, then a NUL */
	OPROF_KTRACE_COPY_SEQUENCE, /* an array: uint16_t count, then the elements */
	OPROF_KTRACE_NR_COPIES,
};

struct oprof_ktrace_copy {
	uint16_t kind;	      /* enum oprof_ktrace_copy_kind */
	uint16_t is_relative; /* 1: __rel_loc: the position is relative to the end of that word */
	uint32_t offset;
	uint32_t bytes;	   /* STRETCH: bytes to copy; SEQUENCE: bytes of one element */
	uint32_t reserved; /* 0 */
};

/* Adds a tracepoint, identified by its number in tracefs (events/SYSTEM/NAME/id), to a channel. */
struct oprof_ktrace_named {
	uint32_t channel;
	uint32_t event_id;
	uint32_t tracepoint; /* number of the tracepoint in tracefs */
	uint32_t nr_copies;
	uint64_t copies;		     /* pointer to struct oprof_ktrace_copy[nr_copies] */
	struct oprof_ktrace_compare compare; /* the number at `offset` in the raw record */
};

/* Adds the samples of a counter, on each CPU, to a channel. */
#define OPROF_KTRACE_SAMPLE_FREQUENCY 1u /* flag: `number` is a frequency in Hz, else a period */
#define OPROF_KTRACE_SAMPLE_KERNEL    2u
#define OPROF_KTRACE_SAMPLE_USER      4u

struct oprof_ktrace_samples {
	uint32_t channel;
	uint32_t event_id;
	uint32_t type; /* PERF_TYPE_*, or OPROF_KMOD_TYPE_TIMER, whose period is in ns */
	uint32_t flags;
	uint64_t config;
	uint64_t number;
	uint32_t depth;	   /* maximum number of callers */
	uint32_t reserved; /* 0 */
};

/*
 * The record of a sample contains struct oprof_ktrace_payload_sample, then the sequences
 * callchain_kernel and callchain_user. These sequences contain the callers of ip, innermost first.
 * Each sequence is a uint16_t count, then this number of uint64_t addresses.
 */
#define OPROF_KTRACE_SAMPLE_IS_USER   1u /* ip is an address in the program, else in the kernel */
#define OPROF_KTRACE_SAMPLE_TRUNCATED 2u /* the stack has more callers than `depth` */
#define OPROF_KTRACE_SAMPLE_BROKEN    4u /* the chain ends where a caller could not be read */
#define OPROF_KTRACE_SAMPLE_LINKED    8u /* callchain_user begins with a link (oprof/kmod.h) */

#define OPROF_KTRACE_FIELDS_sample(I)                                                              \
	I(int32_t, tid, 10)                                                                        \
	I(int32_t, pid, 10)                                                                        \
	I(uint64_t, period, 10)                                                                    \
	I(uint64_t, ip, 16)                                                                        \
	I(uint8_t, flags, 16)

#define OPROF_KTRACE_I(type, name, base) type f_##name;
struct oprof_ktrace_payload_sample {
	OPROF_KTRACE_FIELDS_sample(OPROF_KTRACE_I)
} __attribute__((packed));
#undef OPROF_KTRACE_I

/*
 * A session can have one set of ids of each kind. The session records an event only if the event's
 * task is in every set that is not empty. doc/kmod-trace.md defines the task of an event.
 */
enum oprof_ktrace_filter_by {
	OPROF_KTRACE_BY_TID,
	OPROF_KTRACE_BY_PID, /* thread group id */
	OPROF_KTRACE_BY_PGRP,
	OPROF_KTRACE_BY_UID, /* real user id */
	/*
	 * Tasks in the cgroup or below it. The id is the inode number of the cgroup's folder in
	 * the unified hierarchy (cgroup v2).
	 */
	OPROF_KTRACE_BY_CGROUP,
	/* These threads, and all threads and processes that they create later. */
	OPROF_KTRACE_BY_TREE,
	OPROF_KTRACE_NR_FILTERS,
};

/* Replaces the set of this kind. For OPROF_KTRACE_BY_TREE, adds the ids to the set instead. */
struct oprof_ktrace_filter {
	uint32_t by;
	uint32_t nr_ids; /* 0: no restriction */
	uint64_t ids;	 /* pointer to uint64_t[nr_ids] */
};

/* Opens the ring of one CPU of a channel. fd is a read-only, close-on-exec descriptor. */
struct oprof_ktrace_ring {
	uint32_t channel;
	uint32_t cpu;
	int32_t fd;	    /* out */
	uint32_t reserved;  /* 0 */
	uint64_t map_bytes; /* out: length for mmap, at offset 0, PROT_READ */
};

#define OPROF_KTRACE_ALL_CPUS 0xffffffffu

struct oprof_ktrace_counts {
	uint32_t channel;
	uint32_t cpu;	     /* number of a CPU, or OPROF_KTRACE_ALL_CPUS */
	uint64_t nr_records; /* written */
	uint64_t lost_by[OPROF_NR_LOST];
	uint64_t nr_read;	 /* packets that were read and released by OPROF_KTRACE_PUT */
	uint64_t nr_overwritten; /* packets overwritten before OPROF_KTRACE_NEXT reached them */
};

#define OPROF_KTRACE_INFO     _IOR('o', 16, struct oprof_ktrace_info)
#define OPROF_KTRACE_CHANNEL  _IOWR('o', 17, struct oprof_ktrace_channel)
#define OPROF_KTRACE_EVENT    _IOW('o', 18, struct oprof_ktrace_event)
#define OPROF_KTRACE_SYSCALLS _IOW('o', 19, struct oprof_ktrace_syscalls)
#define OPROF_KTRACE_NAMED    _IOW('o', 20, struct oprof_ktrace_named)
#define OPROF_KTRACE_SAMPLES  _IOW('o', 21, struct oprof_ktrace_samples)
#define OPROF_KTRACE_FILTER   _IOW('o', 22, struct oprof_ktrace_filter)
#define OPROF_KTRACE_START    _IO('o', 23)
#define OPROF_KTRACE_STOP     _IO('o', 24)
#define OPROF_KTRACE_RING     _IOWR('o', 25, struct oprof_ktrace_ring)
#define OPROF_KTRACE_COUNTS   _IOWR('o', 26, struct oprof_ktrace_counts)
#define OPROF_KTRACE_FLUSH    _IO('o', 27) /* flushes this ring, or all rings of a session */
#define OPROF_KTRACE_FINALISE _IO('o', 28) /* finalises this ring, or all rings of a session */

/* ---- calls on a ring ---- */

/* A packet that the descriptor holds until OPROF_KTRACE_PUT or OPROF_KTRACE_PUT_KEEP. */
struct oprof_ktrace_packet {
	uint64_t position;     /* input of GET, output of NEXT */
	uint64_t map_offset;   /* out: offset of the packet in the mapping */
	uint64_t bytes;	       /* out: size of the sub-buffer */
	uint64_t unread_bytes; /* out: bytes of whole unread sub-buffers, including this one */
};

/*
 * The positions of the packets that a snapshot can read at present: from `from` to `to` (excluded),
 * in steps of sub_buffer_bytes.
 */
struct oprof_ktrace_range {
	uint64_t from, to;
};

#define OPROF_KTRACE_NEXT     _IOR('o', 32, struct oprof_ktrace_packet)
#define OPROF_KTRACE_GET      _IOWR('o', 33, struct oprof_ktrace_packet)
#define OPROF_KTRACE_PUT      _IO('o', 34) /* release the packet as read */
#define OPROF_KTRACE_PUT_KEEP _IO('o', 35) /* put it back as unread; writers may overwrite it */
#define OPROF_KTRACE_RANGE    _IOR('o', 36, struct oprof_ktrace_range)

#endif
