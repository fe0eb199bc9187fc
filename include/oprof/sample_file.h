/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Live sample files (doc/sample-file.md). A sample file belongs to one binary image, application,
 * event and separation. The file maps keys to numbers of samples. If the weight of a key cannot be
 * computed from its number of samples and the period, the file also maps keys to weights. The byte
 * order is that of the machine that wrote the file; the field byte_order identifies it.
 *
 * The file is an array of pages of OPROF_SDB_PAGE_BYTES bytes. The header is in the first
 * header_bytes bytes. The rest of the header's last page is the root page of the narrow table, so
 * that a small profile takes one page of disk. If this rest has space for fewer than 64 slots, the
 * root page is the next whole page instead.
 *
 * The file has three tables with the same structure. Each table is described by a struct
 * oprof_sdb_table:
 *   narrow  slots of 8 bytes: key << 24 | samples, key < 2^40
 *   wide    slots of 16 bytes: key, samples. This table has the keys of 2^40 and
 *           above, and the samples that exceed a narrow count. The number of samples
 *           of a key is the sum over both tables; no slot is ever converted.
 *   weight  slots of 16 bytes: key, weight
 * A slot whose count (or weight) is 0 is empty. A count changes by one atomic 64-bit store. A wide
 * key is stored before its count.
 *
 * A table is an extendible hash: the top bits of the mixed key select an entry of the directory,
 * and the entry gives a page. Within the page, a key is found by open addressing in lines of 64
 * bytes (libdb/sdb_format.h has the arithmetic). Readers ignore a slot that is not in
 * the page that the directory gives for the slot's key. This rule alone keeps a file valid if the
 * writer is killed at any instruction, and lets a reader read while the writer splits a page.
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
 * The member `directory` contains two numbers, so that one 64-bit store replaces the directory. The
 * low 8 bits are the log2 of the number of entries. The other bits are the page number of the
 * directory's first page. A directory entry is a uint32_t page number. If `directory` is 0, the
 * table has no directory, and root_page is its only page. A wide or weight table with root_page 0
 * is empty. The root page of the narrow table is determined by header_bytes and may be page 0.
 */
struct oprof_sdb_table {
	uint64_t directory;
	uint32_t root_page;
	uint32_t reserved;
	uint64_t nr_splits; /* odd while a split is in progress; readers must retry then */
};

/* The identity of an image: its build-id if nr_build_id != 0, else the other members. */
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
	OPROF_IMAGE_KERNEL = 2, /* keys are relative to _text */
	OPROF_IMAGE_MODULE = 3, /* keys are relative to the module's start */
	OPROF_IMAGE_VDSO = 4,
	OPROF_IMAGE_ANON =
		5, /* executable memory with no file; keys are relative to the region's start */
	OPROF_IMAGE_IDLE = 6, /* idle routines of the kernel; keys are relative to _text */
	/*
	 * Code that the kernel generated: BPF programs and trampolines. With a path "[...]", keys
	 * are numbers of names, as in OPROF_IMAGE_CODE. With any other path, which only older
	 * daemons wrote, the image is one program, and keys are offsets in this program.
	 */
	OPROF_IMAGE_BPF = 7,
	/*
	 * Code that is in no file (JIT). The functions of this code are known by name. A key is the
	 * number of a name in the session's meta/names. This number stays valid when addresses and
	 * processes change.
	 */
	OPROF_IMAGE_CODE = 8,
	OPROF_IMAGE_OFF_CPU = 9, /* time off CPU: key 0: preempted, key 1: waiting */
};

/*
 * Flags of a file. A flag may change the meaning of the file, so programs refuse a file with an
 * unknown flag or an unknown version.
 */
#define OPROF_SDB_WEIGHTED    1u  /* weights are stored, since they are not samples x period */
#define OPROF_SDB_FREQUENCY   2u  /* period_or_hz is a frequency in Hz */
#define OPROF_SDB_HOLED	      4u  /* a page was lost while mapped (SIGBUS), so counts are too low */
#define OPROF_SDB_KEEP_KERNEL 8u  /* kernel samples are stored under their application */
#define OPROF_SDB_EPOCHS      16u /* samples are ignored if a slice has their epoch (slice.h) */
#define OPROF_SDB_FLAGS	      31u /* all flags of sample files; 32 is OPROF_STACK_BY_IMAGE */

/* Offset and length in bytes from the file's start; strings have no NUL. */
struct oprof_sdb_string {
	uint32_t offset;
	uint32_t nr_bytes;
};

struct oprof_sdb_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t byte_order;
	uint32_t header_bytes; /* size of the header with its strings; a multiple of 64 */
	uint32_t page_bytes;
	uint32_t flags;
	uint32_t key_kind; /* 0: offset in image; 1: call-tree node (parent << 32 | function) */
	uint64_t nr_pages; /* pages allocated to header and tables; not the size of the file */

	struct oprof_sdb_table narrow;
	struct oprof_sdb_table wide;
	struct oprof_sdb_table weight;

	struct oprof_image_identity image;
	uint32_t image_kind; /* enum oprof_image_kind */
	uint32_t unit_mask;
	uint64_t period_or_hz;
	uint64_t image_start; /* of an anonymous region: address of its start; else 0 */

	int64_t start_time_ns; /* times of first and last sample: CLOCK_REALTIME, ns since 1970 */
	int64_t end_time_ns;
	uint8_t boot_id[16];
	uint32_t clock; /* clockid of the source's times */
	uint32_t cpu_khz;

	struct oprof_sdb_string event;
	struct oprof_sdb_string cpu_type;
	struct oprof_sdb_string host;
	/* app_path and image_path are the real paths; file names may have hashes instead. */
	struct oprof_sdb_string app_path;
	struct oprof_sdb_string image_path;
	struct oprof_sdb_string cgroup; /* path below the cgroup root; empty: not separated */
	/* With OPROF_SDB_EPOCHS, the epoch of all samples in the file, counted from 1; else 0. */
	uint64_t epoch;
	/* If epoch_emptied equals epoch, the file is being emptied and its tables are void. */
	uint64_t epoch_emptied;
};

#endif
