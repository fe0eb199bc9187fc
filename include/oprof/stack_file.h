/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The live stack file of a session (doc/stack-file.md): the call trees of the
 * samples of one epoch (oprof/slice.h), of all applications and events. What
 * its closed slices hold of them is in the slices' frame "stacks".
 *
 * Sample files stay exact and are counted without it: a stack file says by
 * which ways the samples were reached, in a second table of its own.
 *
 *	struct oprof_stack_header	one page
 *	records, each 8-byte aligned, up to nr_bytes of the header
 *
 * Only appended to, by one writer: a record is whole before nr_bytes (one
 * 64-bit store) reaches beyond it; then only its counts change, one 64-bit
 * store each. So it is valid after a kill at any instruction, and may be read
 * meanwhile: with pread, since it is cut when it is emptied, and by looks at
 * epoch and epoch_emptied before and after, since what was read between two
 * looks that find them the same is of one epoch. Byte order is the machine's.
 *
 * A position is a record's offset from the file's start, divided by 8; it
 * only ever names a record before the one it stands in.
 */
#ifndef OPROF_STACK_FILE_H
#define OPROF_STACK_FILE_H

#include "oprof/sample_file.h"

#include <stdint.h>

#define OPROF_STACK_FILE	 "stacks"    /* in the session's folder */
#define OPROF_STACK_MAGIC	 "OPSTACK\n" /* 8 bytes, no NUL */
#define OPROF_STACK_VERSION	 1
#define OPROF_STACK_BYTE_ORDER	 0x01020304u
#define OPROF_STACK_HEADER_BYTES 4096u

struct oprof_stack_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t byte_order;
	uint32_t header_bytes; /* OPROF_STACK_HEADER_BYTES */
	uint32_t flags;	       /* none yet: one that a program does not know, it refuses */
	uint64_t nr_bytes;     /* of header and records: what is beyond is void */
	/*
	 * Of all samples in it; equal to epoch_emptied: it is being emptied, the records are void.
	 * Emptying stores epoch_emptied first, before it cuts the file, and epoch after nr_bytes.
	 */
	uint64_t epoch, epoch_emptied;
};

enum oprof_stack_record_type {
	OPROF_STACK_ROOT = 1,
	OPROF_STACK_IMAGE = 2,
	OPROF_STACK_NODE = 3,
};

struct oprof_stack_record {
	uint16_t type;
	uint16_t flags;	     /* 0 */
	uint32_t size_bytes; /* whole record, a multiple of 8 */
};

/* A path as struct slice_path says it (libdb/slice/slice.h); its bytes stand behind the struct. */
struct oprof_stack_path {
	uint32_t kind;	   /* 0 a path, 1 a name, 2 a region of memory */
	uint32_t nr_bytes; /* no NUL */
	int64_t tgid;	   /* of a region; else 0 */
	uint64_t start, end;
};

/*
 * Among the flags of a root, beside those of sample files: the samples of its
 * stacks are filed under the image that each is in, which is their application
 * there. app says which program came to them all the same.
 */
#define OPROF_STACK_BY_IMAGE 32u

/* Whose stacks: what separates sample files, without their image. */
struct oprof_stack_root {
	struct oprof_stack_record head;
	struct oprof_stack_path app;
	uint64_t period_or_hz;
	uint32_t unit_mask;
	uint32_t sdb_flags;	/* OPROF_SDB_WEIGHTED, _FREQUENCY, _KEEP_KERNEL; _STACK_BY_IMAGE */
	int64_t tgid, tid, cpu; /* -1: not separated */
	uint32_t event_bytes;	/* the event's name, behind app's path */
	uint32_t cgroup_bytes;	/* the cgroup's path, behind that; 0: not separated */
};

struct oprof_stack_image {
	struct oprof_stack_record head;
	struct oprof_stack_path path;
	uint32_t kind; /* enum oprof_image_kind */
	uint32_t reserved;
	uint64_t image_start; /* as in struct oprof_sdb_header */
	struct oprof_image_identity identity;
};

/* In the place of an image's position: frames that are no code. */
enum oprof_stack_mark {
	/* Nothing maps it: its way is known, its name is not. offset: 0. */
	OPROF_STACK_UNKNOWN = 0,
	/* Below a root: the stack was deeper than what was recorded; its outermost frames lack. */
	OPROF_STACK_TRUNCATED = 1,
	/* Below a root: the walk could not go on from here; its outermost frames lack. */
	OPROF_STACK_BROKEN = 2,
	/* Its parts were folded into it, for want of room: samples that went on from its parent. */
	OPROF_STACK_OTHER = 3,
	OPROF_STACK_MARKS = 4, /* no image's position is as small */
};

/*
 * A function reached from its parent. offset is a key of sample files of the
 * image: the function's first byte where the writer knew it, else any place
 * in it (two nodes may then be of one function: readers that know symbols add
 * them up). Kernel code called from user code is below it, as it ran.
 */
struct oprof_stack_node {
	struct oprof_stack_record head;
	uint32_t parent; /* position of a node or a root */
	uint32_t image;	 /* position of an image, or enum oprof_stack_mark */
	uint64_t offset;
	uint64_t nr_samples, weight; /* of samples that ended here; its parts' are not in it */
};

#ifdef __cplusplus
static_assert(sizeof(oprof_stack_node) == 40, "layout");
#else
_Static_assert(sizeof(struct oprof_stack_node) == 40, "layout");
#endif

#endif
