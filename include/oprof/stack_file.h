/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The live stack file of a session (doc/stack-file.md): the call trees of the samples of one epoch
 * (oprof/slice.h), for all applications and events. The call trees of closed slices are in the
 * slices' frame "stacks".
 *
 * The sample files of an epoch are complete without the stack file: they have all samples, with
 * exact addresses. The stack file is an additional table, which has the call chains of these
 * samples.
 *
 *	struct oprof_stack_header	one page
 *	records, each 8-byte aligned, up to nr_bytes of the header
 *
 * There is one writer, which only appends to the file. A record is complete before nr_bytes (one
 * 64-bit store) includes the record. After that, only the record's counts change, by one 64-bit
 * store each. Therefore the file is valid after a kill at any instruction, and other processes may
 * read the file at any time.
 *
 * Readers use pread, since the writer truncates the file when it empties the file. Readers also
 * check epoch and epoch_emptied before and after reading. If both fields are unchanged, the data
 * that was read between the two checks belongs to one epoch. The byte order is that of the machine
 * that wrote the file.
 *
 * A position is the offset of a record from the start of the file, divided by 8. A record contains
 * only positions of earlier records.
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
	uint32_t flags; /* no flags are defined yet; programs refuse a file with an unknown flag */
	uint64_t nr_bytes; /* size of header and records; bytes after them are void */
	/*
	 * epoch is the epoch of all samples in the file. If epoch equals epoch_emptied, the file
	 * is being emptied and its records are void. To empty the file, the writer first stores
	 * epoch_emptied. It truncates the file only after this, and stores epoch after nr_bytes.
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
	uint32_t size_bytes; /* size of the whole record, a multiple of 8 */
};

/*
 * A path, with the members of struct slice_path (libdb/slice/slice.h). The bytes of the path
 * follow this struct.
 */
struct oprof_stack_path {
	uint32_t kind;	   /* 0: a path; 1: a name; 2: a region of memory */
	uint32_t nr_bytes; /* no NUL */
	int64_t tgid;	   /* process of a region; else 0 */
	uint64_t start, end;
};

/*
 * A flag of a root, in addition to the flags of sample files. In the sample files, the
 * application of each sample of this root is the image in which the sample was taken. The root's
 * app still names the program that ran.
 */
#define OPROF_STACK_BY_IMAGE 32u

/*
 * The root of a call tree, which identifies the owner of its stacks: all properties that separate
 * sample files, except the image.
 */
struct oprof_stack_root {
	struct oprof_stack_record head;
	struct oprof_stack_path app;
	uint64_t period_or_hz;
	uint32_t unit_mask;
	uint32_t sdb_flags; /* OPROF_SDB_WEIGHTED, _FREQUENCY, _KEEP_KERNEL; OPROF_STACK_BY_IMAGE */
	int64_t tgid, tid, cpu; /* -1: not separated */
	uint32_t event_bytes;	/* length of the event's name, which follows app's path */
	uint32_t cgroup_bytes;	/* length of the cgroup's path, which is next; 0: not separated */
};

struct oprof_stack_image {
	struct oprof_stack_record head;
	struct oprof_stack_path path;
	uint32_t kind; /* enum oprof_image_kind */
	uint32_t reserved;
	uint64_t image_start; /* as in struct oprof_sdb_header */
	struct oprof_image_identity identity;
};

/*
 * Marks: values of oprof_stack_node.image, instead of the position of an image, for nodes that are
 * not code in an image.
 */
enum oprof_stack_mark {
	/* The frame's image is unknown; its caller and its callees are known. offset is 0. */
	OPROF_STACK_UNKNOWN = 0,
	/*
	 * Child of a root: the recorded part of the stack was too short; the outermost frames
	 * are missing.
	 */
	OPROF_STACK_TRUNCATED = 1,
	/* Child of a root: the stack walk failed here; the outermost frames are missing. */
	OPROF_STACK_BROKEN = 2,
	/*
	 * Stands for the parts of the tree below this node's parent that were folded to limit the
	 * size. The samples of these parts are counted in this node.
	 */
	OPROF_STACK_OTHER = 3,
	OPROF_STACK_MARKS = 4, /* number of marks; every position of an image is greater */
};

/*
 * A node: a function that the parent's function called. offset is a key of the image's sample
 * files: the function's first byte if the writer knew it, else any place in the function. Two nodes
 * may therefore stand for one function; readers that know the symbols add up such nodes. If user
 * code entered the kernel, the nodes of the kernel code are below the node of this user code.
 */
struct oprof_stack_node {
	struct oprof_stack_record head;
	uint32_t parent; /* position of a node or a root */
	uint32_t image;	 /* position of an image, or enum oprof_stack_mark */
	uint64_t offset;
	uint64_t nr_samples, weight; /* sums of samples in this function itself, not in callees */
};

#ifdef __cplusplus
static_assert(sizeof(oprof_stack_node) == 40, "layout");
#else
_Static_assert(sizeof(struct oprof_stack_node) == 40, "layout");
#endif

#endif
