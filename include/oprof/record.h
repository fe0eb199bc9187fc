/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Records: what a source tells the daemon (doc/records.md).
 *
 * A stream of items, each 8-byte aligned and beginning with struct
 * oprof_record. All fields are in the byte order of the machine that made
 * them; the stream never leaves it. TASK and CPU set the context of the
 * SAMPLE and SWITCH records behind them; a stream (or a batch after a loss)
 * begins with both. Unknown types are counted and skipped by their size.
 *
 * Compiles alone in the kernel, in C and in C++.
 */
#ifndef OPROF_RECORD_H
#define OPROF_RECORD_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#define OPROF_RECORD_VERSION 1

/* A frame's or sample's image when nothing maps its address. */
#define OPROF_IMAGE_NONE 0u
/* The one image of kind OPROF_IMAGE_OFF_CPU; every source knows it by this cookie. */
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
	/* Of the kernel module to its daemon only (oprof/kmod.h). */
	OPROF_RECORD_IMAGE = 10,
	OPROF_RECORD_PROCESS_END = 11,
};

/* Every record starts with this. size_bytes: whole record, a multiple of 8. */
struct oprof_record {
	uint16_t type;
	uint16_t flags;
	uint32_t size_bytes;
};

/* The task of the records behind it, until the next TASK. */
struct oprof_task {
	struct oprof_record head;
	int32_t tgid;
	int32_t tid;
	uint64_t generation; /* the source's number of this life of the process; never 0, never
				reused */
	uint32_t app_image;  /* image cookie of what was exec'd; OPROF_IMAGE_NONE for kernel threads
			      */
	uint32_t reserved;
	uint64_t cgroup; /* cgroup v2 id (inode number of its folder); 0: not known */
};

struct oprof_cpu {
	struct oprof_record head;
	uint32_t cpu;
	uint32_t reserved;
};

enum oprof_mode {
	OPROF_MODE_USER = 0,
	OPROF_MODE_KERNEL = 1,
	OPROF_MODE_IDLE = 2, /* task 0 with the pc in a kernel idle routine */
	OPROF_MODE_HYPERVISOR = 3,
	OPROF_MODE_GUEST = 4,
	OPROF_MODE_OFF_CPU =
		5, /* not a place in code: a stretch of time off CPU, ended at time_ns */
};

/* How the call chain was obtained. */
enum oprof_chain_kind {
	OPROF_CHAIN_NONE = 0,
	OPROF_CHAIN_FRAME_POINTERS = 1,
	OPROF_CHAIN_UNWIND_TABLES = 2,
};

/* oprof_record.flags of a SAMPLE: the chain has more frames than are given. */
#define OPROF_SAMPLE_CHAIN_TRUNCATED 1u
/* ... its task was no longer known to the kernel; that of the CPU stands in */
#define OPROF_SAMPLE_TASK_GUESSED 2u
/* ... the chain ends early: the next frame was not where its callee said, or could not be read */
#define OPROF_SAMPLE_CHAIN_BROKEN 4u

/*
 * A place in code. offset: bytes from the start of the image's file for
 * files, from the start of the kernel's text or the module for kernel code,
 * from the start of the region for anonymous regions and the vdso; the
 * source's number of a name (source_ops.code_name) for code known by name
 * (OPROF_IMAGE_CODE); the raw address when image is OPROF_IMAGE_NONE.
 */
struct oprof_frame {
	uint32_t image; /* image cookie, or OPROF_IMAGE_NONE */
	uint32_t mode;	/* enum oprof_mode */
	uint64_t offset;
};

struct oprof_sample {
	struct oprof_record head;
	uint64_t time_ns;   /* the source's clock */
	uint64_t weight;    /* events this sample stands for */
	uint16_t event;	    /* index into the session's events */
	uint8_t mode;	    /* enum oprof_mode */
	uint8_t chain_kind; /* enum oprof_chain_kind */
	uint16_t nr_frames; /* callers, leaf first, behind the struct */
	uint16_t reserved;
	struct oprof_frame leaf;
	/* struct oprof_frame chain[nr_frames] */
};

/* Why a task left its CPU; the offset of samples of mode OPROF_MODE_OFF_CPU. */
enum oprof_off_cpu {
	OPROF_OFF_CPU_PREEMPTED = 0, /* ready to run all the time */
	OPROF_OFF_CPU_WAITING = 1,
};

/*
 * The CPU goes from the TASK in force to another (the next TASK record). A
 * TASK with tgid 0 is the idle task, or one that the source does not follow:
 * not profiled, not known, or past its end.
 */
struct oprof_switch {
	struct oprof_record head;
	uint64_t time_ns;
	uint32_t state; /* of the task switched out: enum oprof_off_cpu */
	uint32_t reserved;
};

/*
 * From time_ns on, switches were not told for a while: until the next SWITCH
 * nobody knows who ran, so that no stretch off CPU reaches across this.
 */
struct oprof_switches_lost {
	struct oprof_record head;
	uint64_t time_ns;
	uint64_t nr_records; /* at least so many; 0: none was lost, the source did not listen */
};

/* flags of MODULE */
#define OPROF_MODULE_LOAD   1u
#define OPROF_MODULE_UNLOAD 2u

/* Kernel code came or went. */
struct oprof_module {
	struct oprof_record head;
	uint64_t time_ns;
	uint32_t image; /* cookie */
	uint32_t reserved;
	uint64_t start; /* address in memory */
	uint64_t size;
};

/*
 * No record behind this one names the cookie, nor does another image ever get
 * it: what was kept for it may go. A file that is met again gets another
 * cookie. source_ops.image knows it for the last time while this is told.
 */
struct oprof_release {
	struct oprof_record head;
	uint32_t image; /* cookie */
	uint32_t reserved;
};

/* Why a sample that was seen is not stored. One counter each, everywhere. */
enum oprof_lost {
	OPROF_LOST_KERNEL_RING = 0,	/* no room in the kernel's ring (kernel's own count) */
	OPROF_LOST_NO_TASK = 1,		/* task unknown, and none known on that CPU */
	OPROF_LOST_NO_MAPPING = 2,	/* address in no mapping of its address space */
	OPROF_LOST_NO_KERNEL_MAP = 3,	/* kernel address in no known kernel code */
	OPROF_LOST_OTHER_NAMESPACE = 4, /* task of a pid namespace that the source can't see */
	OPROF_LOST_MODE = 5,		/* hypervisor or guest: not ours to attribute */
	OPROF_LOST_BAD_RECORD = 6,	/* damaged, or not understood */
	OPROF_LOST_DISK = 7,	   /* sample file could not be made or grown: disk full, quota */
	OPROF_LOST_FILE = 8,	   /* sample file damaged under us */
	OPROF_LOST_MEMORY = 9,	   /* the daemon's own memory limit */
	OPROF_LOST_SIDE_BAND = 10, /* maps or programs of its process may have been lost */
	OPROF_LOST_NR = 11,
};

struct oprof_lost_record {
	struct oprof_record head;
	uint64_t time_ns;
	uint32_t reason; /* enum oprof_lost */
	uint32_t event;	 /* index, or UINT32_MAX: not known */
	uint64_t nr_samples;
};

/* The kernel held an event back; told in episodes and time, not in samples. */
struct oprof_throttle {
	struct oprof_record head; /* flags: 1 begins, 0 ends */
	uint64_t time_ns;
	uint32_t event;
	uint32_t cpu;
};

#endif
