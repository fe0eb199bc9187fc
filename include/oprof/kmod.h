/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Interface between the kernel module and its daemon: the control filesystem's files and the
 * stream of the module's buffer (doc/kmod.md).
 *
 * The stream consists of records (oprof/record.h), with these limits of the kernel:
 *  - A frame in the kernel has image OPROF_IMAGE_NONE, mode KERNEL, and the raw address as
 *    offset. The reader looks up the kernel's symbols and recognises idle routines: the
 *    kernel never reports mode IDLE.
 *  - An IMAGE record announces a cookie before the first record that names it; a RELEASE
 *    record ends the cookie's use.
 *  - A read returns whole records only.
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

/* Content of the file "version"; raised when an older daemon would misread the stream. */
#define OPROF_KMOD_VERSION 2

#define OPROF_KMOD_MODULE  "oprof"
#define OPROF_KMOD_FS_TYPE "oprofilefs"
#define OPROF_KMOD_MOUNT   "/dev/oprofile" /* where opcontrol --init mounts it */
#define OPROF_KMOD_SYSFS   "/sys/fs/oprofile"

/* Numbered folders: 0 to OPROF_KMOD_COUNTERS_MAX - 1. A sample's event is its folder's number. */
#define OPROF_KMOD_COUNTERS_MAX 32
/*
 * In the file "type" of a counter: PERF_TYPE_*, or this value for the module's own timer
 * (count: nanoseconds).
 */
#define OPROF_KMOD_TYPE_TIMER 0x544d0000u
/* Maximum number of callers of one sample, kernel and user together. */
#define OPROF_KMOD_CHAIN_MAX 127
/* Maximum number of frames after a sample: the callers and one link. */
#define OPROF_KMOD_FRAMES_MAX 128
/*
 * oprof_record.flags of a SAMPLE, in addition to the flags of oprof/record.h. The frames
 * contain one extra frame, a link: the first of the program's frames, or the second if the
 * sample is in the kernel. The link is meant for the program's innermost function: the one that
 * was sampled or that entered the kernel. If this function has no stack frame at that point,
 * the link is its return address; else the link is an arbitrary code address. The reader
 * decides by the function's unwind table.
 */
#define OPROF_KMOD_SAMPLE_LINK 0x100u

/* Binary code outside the kernel that frames refer to; OPROF_RECORD_IMAGE. */
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
	/* Address range of a region or module, and the process that owns the region. */
	uint64_t start, end;
	uint64_t generation; /* of the process; 0: no process */
	int32_t tgid;
	uint32_t name_bytes; /* with its NUL, without the padding to a multiple of 8; 0: no name */
	/* char name[]: of a region or module; a file's name is found by its descriptor */
};

/* A process has ended: no later record has its generation. OPROF_RECORD_PROCESS_END. */
struct oprof_kmod_process_end {
	struct oprof_record head;
	uint64_t generation;
};

/*
 * An ioctl on the buffer. Returns a read-only descriptor of the file that a cookie stands for.
 * This works once per cookie: the kernel then drops its own reference, since a held file keeps
 * its file system mounted. Errors: -ENOENT: the cookie is unknown, released, or not of a file;
 * -ESTALE: the descriptor was already returned; or an error of open(2).
 */
struct oprof_kmod_image_open {
	uint32_t image; /* in */
	int32_t fd;	/* out */
};

#define OPROF_KMOD_IMAGE_OPEN _IOWR('o', 1, struct oprof_kmod_image_open)

#endif
