/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The kernel module and its daemon: the control filesystem's files and the
 * stream of its buffer (doc/kmod.md).
 *
 * The stream is records (oprof/record.h) as the kernel can tell them:
 *  - a frame in the kernel has image OPROF_IMAGE_NONE, mode KERNEL, and the
 *    raw address as offset: who reads knows the kernel's symbols (also which
 *    of it is idling: the kernel never says mode IDLE);
 *  - a cookie is told by an IMAGE record before the first record that names
 *    it, and given up by a RELEASE;
 *  - a read gives whole records only.
 *
 * Compiles alone in the kernel, in C and in C++.
 */
#ifndef OPROF_KMOD_H
#define OPROF_KMOD_H

#include "oprof/record.h"

#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
#include <sys/ioctl.h>
#endif

/* The file "version": raised where an older daemon would misread. */
#define OPROF_KMOD_VERSION 2

#define OPROF_KMOD_MODULE  "oprof"
#define OPROF_KMOD_FS_TYPE "oprofilefs"
#define OPROF_KMOD_MOUNT   "/dev/oprofile" /* where opcontrol --init mounts it */
#define OPROF_KMOD_SYSFS   "/sys/fs/oprofile"

/* Numbered folders: 0 to ... - 1. A sample's event is its folder's number. */
#define OPROF_KMOD_COUNTERS_MAX 32
/* The file "type" of a counter: PERF_TYPE_* or the module's own timer (count: nanoseconds). */
#define OPROF_KMOD_TYPE_TIMER 0x544d0000u
/* Callers of one sample, at most: kernel and user together. */
#define OPROF_KMOD_CHAIN_MAX 127
/* Frames behind a sample, at most: the callers, and a link. */
#define OPROF_KMOD_FRAMES_MAX 128
/*
 * oprof_record.flags of a SAMPLE, beside those of oprof/record.h: among the
 * frames there is a link, one more than was asked for: where the function in
 * which the program was sampled, or entered the kernel, returns to if it has no
 * frame of its own there; else it is anything in code. It is the first of the
 * program's frames, of a sample in the kernel the second. Who reads decides by
 * the function's unwind table.
 */
#define OPROF_KMOD_SAMPLE_LINK 0x100u

/* Binary code outside the kernel that frames are in; RECORD_IMAGE. */
struct oprof_kmod_image {
	struct oprof_record head;
	uint32_t image; /* cookie */
	uint32_t kind;	/* OPROF_IMAGE_FILE, _MODULE, _VDSO or _ANON of oprof/sample_file.h */
	/* A file's identity; times in ns since 1970. dev: major << 32 | minor. */
	uint64_t dev;
	uint64_t inode;
	uint64_t inode_generation;
	int64_t mtime_ns;
	uint64_t file_bytes;
	/* A region's or module's range of addresses, and whose region it is. */
	uint64_t start, end;
	uint64_t generation; /* of the process; 0: nobody's */
	int32_t tgid;
	uint32_t name_bytes; /* with its NUL, without what rounds the record up to 8; 0: none */
	/* char name[]: of a region or module; a file's is found by its descriptor */
};

/* A process has ended: no record behind this one is of its generation. RECORD_PROCESS_END. */
struct oprof_kmod_process_end {
	struct oprof_record head;
	uint64_t generation;
};

/*
 * On the buffer: a descriptor, read-only, of the file behind a cookie, and the
 * kernel lets go of it (a held file keeps its file system mounted): so once.
 * -ENOENT: no such cookie, not a file, or RELEASEd; -ESTALE: asked before;
 * others of open(2).
 */
struct oprof_kmod_image_open {
	uint32_t image; /* in */
	int32_t fd;	/* out */
};

#define OPROF_KMOD_IMAGE_OPEN _IOWR('o', 1, struct oprof_kmod_image_open)

#endif
