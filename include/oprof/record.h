/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Records: the data that a source sends to the daemon (doc/records.md).
 *
 * A stream consists of records. Each record is 8-byte aligned and begins with struct oprof_record.
 * All fields are in the byte order of the machine that made the record; the stream never leaves
 * this machine. A TASK record gives the task of all SAMPLE and SWITCH records up to the next TASK
 * record. A CPU record gives the CPU of all SAMPLE and SWITCH records up to the next CPU record.
 * Each stream begins with a TASK record and a CPU record. After a loss in the middle of a stream,
 * the next records are also a TASK record and a CPU record. Readers count records of unknown types,
 * and skip such records by their size.
 *
 * This header can be included without other headers: in the kernel, in C and in C++.
 */
#ifndef OPROF_RECORD_H
#define OPROF_RECORD_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#define OPROF_RECORD_VERSION 1

/* Image of a frame or sample whose address lies in no mapping. */
#define OPROF_IMAGE_NONE 0u
/* Cookie of the only image of kind OPROF_IMAGE_OFF_CPU; every source uses this value. */
#define OPROF_IMAGE_COOKIE_OFF_CPU 0xffffffffu

enum oprof_record_type {
	OPROF_RECORD_PAD = 0, /* skip */
	OPROF_RECORD_TASK = 1,
	OPROF_RECORD_CPU = 2,
	OPROF_RECORD_SAMPLE = 3,
	OPROF_RECORD_SWITCH = 4,
	OPROF_RECORD_MODULE = 5,
	OPROF_RECORD_LOST = 6,
	OPROF_RECORD_THROTTLE = 7,
	OPROF_RECORD_RELEASE = 8,
	OPROF_RECORD_SWITCHES_LOST = 9,
	/* Only the kernel module writes IMAGE and PROCESS_END records (oprof/kmod.h). */
	OPROF_RECORD_IMAGE = 10,
	OPROF_RECORD_PROCESS_END = 11,
};

/*
 * Every record begins with this struct. size_bytes is the size of the whole record, a multiple of
 * 8.
 */
struct oprof_record {
	uint16_t type;
	uint16_t flags;
	uint32_t size_bytes;
};

/* States the task of all records after this one, until the next TASK record. */
struct oprof_task {
	struct oprof_record head;
	int32_t tgid;
	int32_t tid;
	uint64_t generation; /* the source's number of this process; never 0, never used twice */
	uint32_t app_image;  /* cookie of the executed program; OPROF_IMAGE_NONE: kernel thread */
	uint32_t reserved;
	uint64_t cgroup; /* cgroup v2 id (inode number of the cgroup's folder); 0: unknown */
};

struct oprof_cpu {
	struct oprof_record head;
	uint32_t cpu;
	uint32_t reserved;
};

enum oprof_mode {
	OPROF_MODE_USER = 0,
	OPROF_MODE_KERNEL = 1,
	OPROF_MODE_IDLE = 2, /* the pid is 0 and the pc is in an idle routine of the kernel */
	OPROF_MODE_HYPERVISOR = 3,
	OPROF_MODE_GUEST = 4,
	OPROF_MODE_OFF_CPU = 5, /* a time range off CPU that ended at time_ns; not code */
};

/* How the call chain was obtained. */
enum oprof_chain_kind {
	OPROF_CHAIN_NONE = 0,
	OPROF_CHAIN_FRAME_POINTERS = 1,
	OPROF_CHAIN_UNWIND_TABLES = 2,
};

/* oprof_record.flags of a SAMPLE: the call chain has more frames than the record holds. */
#define OPROF_SAMPLE_CHAIN_TRUNCATED 1u
/*
 * oprof_record.flags of a SAMPLE: the kernel could no longer identify the task, so the record has
 * the last known task of its CPU.
 */
#define OPROF_SAMPLE_TASK_GUESSED 2u
/*
 * oprof_record.flags of a SAMPLE: the call chain ends early, since the next frame could not be
 * read or was not where the previous frame indicated.
 */
#define OPROF_SAMPLE_CHAIN_BROKEN 4u

/*
 * A place in code. The meaning of offset depends on the image:
 *  - a file: bytes from the start of the image's file
 *  - kernel code: bytes from the start of the kernel's text or of the module
 *  - an anonymous region or the vdso: bytes from the start of the region
 *  - OPROF_IMAGE_CODE: a number that source_ops.code_name maps to a function's name
 *  - OPROF_IMAGE_NONE: the raw address
 */
struct oprof_frame {
	uint32_t image; /* image cookie, or OPROF_IMAGE_NONE */
	uint32_t mode;	/* enum oprof_mode */
	uint64_t offset;
};

struct oprof_sample {
	struct oprof_record head;
	uint64_t time_ns;   /* time on the source's clock */
	uint64_t weight;    /* number of events that this sample stands for */
	uint16_t event;	    /* index into the session's events */
	uint8_t mode;	    /* enum oprof_mode */
	uint8_t chain_kind; /* enum oprof_chain_kind */
	uint16_t nr_frames; /* number of callers, innermost first, after the struct */
	uint16_t reserved;
	struct oprof_frame leaf;
	/* struct oprof_frame chain[nr_frames] */
};

/* Why a task left its CPU. In samples of mode OPROF_MODE_OFF_CPU, this value is leaf.offset. */
enum oprof_off_cpu {
	OPROF_OFF_CPU_PREEMPTED = 0, /* the task was ready to run the whole time */
	OPROF_OFF_CPU_WAITING = 1,
};

/*
 * The CPU switches from the task of the last TASK record to the task of the next TASK record. A
 * TASK with tgid 0 is the idle task, or a task that the source does not follow: not profiled,
 * unknown, or already ended.
 */
struct oprof_switch {
	struct oprof_record head;
	uint64_t time_ns;
	uint32_t state; /* state of the task that leaves the CPU: enum oprof_off_cpu */
	uint32_t reserved;
};

/*
 * Switches were lost from time_ns until the next SWITCH, so it is unknown which tasks ran during
 * this time. No sample of time off CPU spans this record.
 */
struct oprof_switches_lost {
	struct oprof_record head;
	uint64_t time_ns;
	uint64_t nr_records; /* minimum number of lost switches; 0: only the source was off */
};

/* oprof_record.flags of a MODULE record */
#define OPROF_MODULE_LOAD   1u
#define OPROF_MODULE_UNLOAD 2u

/* Kernel code was loaded or unloaded. */
struct oprof_module {
	struct oprof_record head;
	uint64_t time_ns;
	uint32_t image; /* cookie */
	uint32_t reserved;
	uint64_t start; /* address in memory */
	uint64_t size;	/* bytes */
};

/*
 * No later record contains this cookie, and no other image ever gets the same cookie: the daemon
 * may free all data that it keeps for the cookie. A file that is mapped again gets a new cookie.
 * source_ops.image can still look up the cookie until this record has been handled.
 */
struct oprof_release {
	struct oprof_record head;
	uint32_t image; /* cookie */
	uint32_t reserved;
};

/*
 * Why the daemon did not store a sample that was seen. Every component that counts losses has one
 * counter for each reason.
 */
enum oprof_lost {
	OPROF_LOST_KERNEL_RING = 0,	/* no room in the kernel's ring (the kernel's own count) */
	OPROF_LOST_NO_TASK = 1,		/* task unknown, and no earlier task known on this CPU */
	OPROF_LOST_NO_MAPPING = 2,	/* the address is in no mapping of the process */
	OPROF_LOST_NO_KERNEL_MAP = 3,	/* the address is in no known kernel code */
	OPROF_LOST_OTHER_NAMESPACE = 4, /* the source cannot see the task's pid namespace */
	OPROF_LOST_MODE = 5,		/* hypervisor or guest mode: cannot be attributed */
	OPROF_LOST_BAD_RECORD = 6,	/* damaged or unknown record */
	/* a sample file could not be created or grown: disk full, quota, or budget of the history
	 */
	OPROF_LOST_DISK = 7,
	OPROF_LOST_FILE = 8,	   /* the sample file was damaged while in use */
	OPROF_LOST_MEMORY = 9,	   /* the daemon reached its own memory limit */
	OPROF_LOST_SIDE_BAND = 10, /* mmap or exec records of the process may have been lost */
	OPROF_LOST_UNREAD = 11,	   /* the process's mappings could not be read in time */
	OPROF_LOST_NR = 12,
};

struct oprof_lost_record {
	struct oprof_record head;
	uint64_t time_ns;
	uint32_t reason; /* enum oprof_lost */
	uint32_t event;	 /* index of the event; UINT32_MAX: unknown */
	uint64_t nr_samples;
};

/*
 * The kernel throttled an event. Reports count the episodes and their time, since the number of
 * missing samples is unknown.
 */
struct oprof_throttle {
	struct oprof_record head; /* flags: 1: throttling begins; 0: it ends */
	uint64_t time_ns;
	uint32_t event;
	uint32_t cpu;
};

#endif
