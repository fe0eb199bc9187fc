/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Interface between the kernel module and its daemon: the files of the control filesystem, and the
 * stream of the module's buffer (doc/kmod.md).
 *
 * The stream consists of records (oprof/record.h), with these differences:
 *  - A frame in the kernel has image OPROF_IMAGE_NONE, mode KERNEL, and the raw address as offset.
 *    The reader looks up the kernel's symbols. The module never reports mode IDLE: the reader also
 *    has to recognise the kernel's idle routines.
 *  - An IMAGE record announces a cookie before the first record that contains this cookie. After a
 *    RELEASE record, the cookie is invalid.
 *  - read(2) returns whole records only.
 *
 * This header compiles alone in the kernel, in C and in C++.
 */
#ifndef OPROF_KMOD_H
#define OPROF_KMOD_H

#include "oprof/record.h"

#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
#include <sys/ioctl.h>
#endif

/* Content of the file "version"; incremented when an older daemon would misread the stream. */
#define OPROF_KMOD_VERSION 2

#define OPROF_KMOD_MODULE  "oprof"
#define OPROF_KMOD_FS_TYPE "oprofilefs"
#define OPROF_KMOD_MOUNT   "/dev/oprofile" /* mount point that opcontrol --init uses */
#define OPROF_KMOD_SYSFS   "/sys/fs/oprofile"

/*
 * Counters are the numbered folders 0 to OPROF_KMOD_COUNTERS_MAX - 1. A sample's event is the
 * number of its counter's folder.
 */
#define OPROF_KMOD_COUNTERS_MAX 32
/*
 * A counter's file "type" contains PERF_TYPE_* or this value. This value selects the module's own
 * timer; the file "count" then contains nanoseconds.
 */
#define OPROF_KMOD_TYPE_TIMER 0x544d0000u
/* Maximum number of callers of one sample, kernel and user together. */
#define OPROF_KMOD_CHAIN_MAX 127
/* Maximum number of frames after a sample: the callers and one link. */
#define OPROF_KMOD_FRAMES_MAX 128
/*
 * oprof_record.flags of a SAMPLE, in addition to the flags of oprof/record.h. The sample has one
 * extra frame, a link. The link is the first of the program's frames, or the second if the sample
 * was taken in the kernel. The link belongs to the program's innermost function: the function that
 * was sampled or that entered the kernel. If this function has no stack frame at that point, the
 * link is its return address; otherwise the link is an arbitrary code address. The reader uses the
 * function's unwind table to decide between the two.
 */
#define OPROF_KMOD_SAMPLE_LINK 0x100u

/* OPROF_RECORD_IMAGE: describes a binary image, other than the kernel, to which frames refer. */
struct oprof_kmod_image {
	struct oprof_record head;
	uint32_t image; /* cookie */
	uint32_t kind;	/* OPROF_IMAGE_FILE, _MODULE, _VDSO or _ANON of oprof/sample_file.h */
	/* The identity of a file; times are in ns since 1970. dev is major << 32 | minor. */
	uint64_t dev;
	uint64_t inode;
	uint64_t inode_generation;
	int64_t mtime_ns;
	uint64_t file_bytes;
	/* Address range of a region or module. */
	uint64_t start, end;
	uint64_t generation; /* number of the process that owns the region; 0: no process */
	int32_t tgid;
	/* size of name with its NUL, without the padding to a multiple of 8; 0: no name */
	uint32_t name_bytes;
	/* char name[]: name of a region or module; a file's name is read from its descriptor. */
};

/* OPROF_RECORD_PROCESS_END: a process has ended, and no later record has its generation. */
struct oprof_kmod_process_end {
	struct oprof_record head;
	uint64_t generation;
};

/*
 * Argument of an ioctl on the buffer, which returns a read-only descriptor of the file that a
 * cookie stands for. The call succeeds once per cookie: the kernel then drops its own reference to
 * the file, because a reference keeps the file's file system mounted. Errors: -ENOENT: the cookie
 * is unknown, released, or not of a file; -ESTALE: the descriptor was already returned; or an
 * error of open(2).
 */
struct oprof_kmod_image_open {
	uint32_t image; /* in */
	int32_t fd;	/* out */
};

#define OPROF_KMOD_IMAGE_OPEN _IOWR('o', 1, struct oprof_kmod_image_open)

#endif
