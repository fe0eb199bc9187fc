/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Live sample files (doc/sample-file.md): key -> samples, and weight where
 * it is not samples x period, for one binary image, application, event and
 * separation. Little- or big-endian as the machine that wrote it;
 * byte_order tells.
 *
 * The file is an array of pages of OPROF_SDB_PAGE_BYTES. The header takes
 * the first header_bytes; the rest of the page that the header ends in (a
 * whole further page, when less than 64 slots are left) is the root page of
 * the narrow table, so that a small profile is one page of disk.
 *
 * Three tables, alike in shape, found by their struct oprof_sdb_table:
 *   narrow  slots of 8 bytes: key << 24 | samples, key < 2^40
 *   wide    slots of 16 bytes: key, samples: keys of 2^40 and above, and what
 *	     a narrow count could not hold any more. The samples of a key are
 *	     the sum over both tables: nothing is ever converted.
 *   weight  slots of 16 bytes: key, weight
 * A slot whose count (weight) is 0 is empty. A count changes by one atomic
 * 64-bit store; a wide key is stored before its count.
 *
 * A table is an extendible hash: the top bits of the mixed key choose an
 * entry of the directory, the entry a page; within the page, open
 * addressing by lines of 64 bytes (libdb/sdb_format.h has the arithmetic). A slot counts only if
 * the directory leads its key to the page that it is in: that rule alone keeps a file valid after a
 * kill at any instruction, and lets a reader read while the writer splits a page.
 */
#ifndef OPROF_SAMPLE_FILE_H
#define OPROF_SAMPLE_FILE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#define OPROF_SDB_MAGIC		    "OPSDB\r\n\032" /* 8 bytes, no NUL */
#define OPROF_SDB_VERSION	    1
#define OPROF_SDB_BYTE_ORDER	    0x01020304u
#define OPROF_SDB_PAGE_BYTES	    4096u
#define OPROF_SDB_NARROW_KEY_BITS   40
#define OPROF_SDB_NARROW_COUNT_BITS 24
#define OPROF_BUILD_ID_BYTES_MAX    20

/*
 * directory: page number of the directory's first page << 8 | log2 of its
 * entries; one 64-bit store replaces it. An entry is a uint32_t page number.
 * 0: the table has no directory: its only page is root_page. In the wide and
 * weight tables root_page 0 means empty; the narrow table's root page is where
 * header_bytes says, and may be page 0.
 */
struct oprof_sdb_table {
	uint64_t directory;
	uint32_t root_page;
	uint32_t reserved;
	uint64_t nr_splits; /* odd while a split is in progress: readers read again */
};

/* Who an image is. By build-id when nr_build_id != 0, else by the rest. */
struct oprof_image_identity {
	uint8_t build_id[OPROF_BUILD_ID_BYTES_MAX];
	uint32_t nr_build_id; /* bytes of build_id in use */
	uint64_t dev;	      /* major << 32 | minor */
	uint64_t inode;
	uint64_t inode_generation;
	int64_t mtime_ns;
	uint64_t size_bytes;
};

enum oprof_image_kind {
	OPROF_IMAGE_FILE = 1,
	OPROF_IMAGE_KERNEL = 2, /* keys relative to _text */
	OPROF_IMAGE_MODULE = 3, /* keys relative to the module's start */
	OPROF_IMAGE_VDSO = 4,
	OPROF_IMAGE_ANON =
		5, /* executable memory with no file; keys relative to the region's start */
	OPROF_IMAGE_IDLE = 6, /* kernel idle routines; keys relative to _text */
	/*
	 * Code that the kernel made: programs of its BPF machine, trampolines. Path "[...]": keys
	 * are numbers of names, as below; else, of older daemons, one program, offsets in it.
	 */
	OPROF_IMAGE_BPF = 7,
	/*
	 * Code without a file whose functions are known by name (JIT): keys are numbers of
	 * names in the session's meta/names, so that they outlive addresses and processes.
	 */
	OPROF_IMAGE_CODE = 8,
	OPROF_IMAGE_OFF_CPU = 9, /* time not running: key 0 preempted, 1 waiting */
};

/*
 * Flags of a file. One that a program does not know changes what the file
 * means to it: it refuses the file, as it does another version.
 */
#define OPROF_SDB_WEIGHTED    1u  /* weight is stored, not samples x period */
#define OPROF_SDB_FREQUENCY   2u  /* period_or_hz is a frequency in Hz */
#define OPROF_SDB_HOLED	      4u  /* a page was lost while mapped (SIGBUS): counts are too low */
#define OPROF_SDB_KEEP_KERNEL 8u  /* separated: samples of the kernel under an application */
#define OPROF_SDB_EPOCHS      16u /* samples count while no slice holds its epoch (slice.h) */
#define OPROF_SDB_FLAGS	      31u /* all of these; 32 is OPROF_STACK_BY_IMAGE */

/* Offset and length in bytes from the file's start; strings have no NUL. */
struct oprof_sdb_string {
	uint32_t offset;
	uint32_t nr_bytes;
};

struct oprof_sdb_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t byte_order;
	uint32_t header_bytes; /* with strings; a multiple of 64 */
	uint32_t page_bytes;
	uint32_t flags;
	uint32_t key_kind; /* 0: offset in image; 1: call-tree node (parent << 32 | function) */
	uint64_t nr_pages; /* allocated to the tables and header, not the file's size */

	struct oprof_sdb_table narrow;
	struct oprof_sdb_table wide;
	struct oprof_sdb_table weight;

	struct oprof_image_identity image;
	uint32_t image_kind; /* enum oprof_image_kind */
	uint32_t unit_mask;
	uint64_t period_or_hz;
	uint64_t image_start; /* anonymous regions: address of key 0; else 0 */

	int64_t start_time_ns; /* of the first and last sample, CLOCK_REALTIME, ns since 1970 */
	int64_t end_time_ns;
	uint8_t boot_id[16];
	uint32_t clock; /* clockid of the source's times */
	uint32_t cpu_khz;

	struct oprof_sdb_string event;
	struct oprof_sdb_string cpu_type;
	struct oprof_sdb_string host;
	struct oprof_sdb_string app_path; /* true names: the path may hold a hash of them */
	struct oprof_sdb_string image_path;
	struct oprof_sdb_string cgroup; /* path below the cgroup root; empty: not separated */
	/* OPROF_SDB_EPOCHS: of all samples in the file, from 1 on; else 0. */
	uint64_t epoch;
	uint64_t epoch_emptied; /* equal to epoch: being emptied, what the tables hold is void */
};

#endif
