/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Image cookies: numbers of binary files, by (device, inode, inode
 * generation, modification time, size); of memory regions without a file, by
 * process and address; and of kernel modules. An IMAGE record reports a cookie
 * before another record uses it.
 *
 * A file's path (mount and name) is held from the creation of the cookie until
 * the daemon has taken its descriptor. Then only the key is kept, so that the
 * file system can be unmounted. When there are IMAGE_NR_MAX files, those that
 * were not used for a long time are released. Regions are released with their
 * process.
 *
 * For the worker only, except image_open_file().
 */
#ifndef KMOD_IMAGE_H
#define KMOD_IMAGE_H

#include <linux/fs.h>
#include <linux/types.h>

#define IMAGE_NR_MAX	     65536 /* files; up to twice as many within one pass */
#define IMAGE_NR_REGIONS_MAX 64	   /* per process; all others share one, from address 0 */

struct generation;

int image_open(void); /* 0 or -ENOMEM. May sleep. */
void image_close(void);

/*
 * Finds or creates the file's cookie, and reports a new cookie to the daemon.
 * Returns 0; -ENOMEM; -ENOSPC: the event buffer has no room for the IMAGE
 * record (the sample is counted as lost_buffer). May sleep.
 */
int image_of_file(struct file *file, u32 *cookie);
/*
 * The same for a region. name is as in /proc/PID/maps, or "" for memory
 * without a name. *from becomes the address from which the image's offsets
 * count. "[vdso]" has the same cookie in all processes whose vdso has the same
 * size.
 */
int image_of_region(struct generation *generation, const char *name, u64 start, u64 end,
		    u32 *cookie, u64 *from);
int image_of_module(const char *name, u64 start, u64 end, u32 *cookie);

/*
 * Marks a file's cookie from an earlier pass as used. Returns false if the
 * cookie has been released; then it must not be used in records any more.
 */
bool image_use(u32 cookie);

/* Releases the cookie of an unloaded module. -ENOSPC: must be called again in the next pass. */
int image_release_module(u32 cookie);
/*
 * Releases the regions of a process that ended or runs another program.
 * -ENOSPC: must be called again in the next pass.
 */
int image_release_regions(struct generation *generation);
/* Frees the regions at the end of a run, without RELEASE records. */
void image_forget_regions(struct generation *generation);

/* Once per pass: releases files that were not used for a long time, if there are too many. */
void image_tend(void);

/*
 * OPROF_KMOD_IMAGE_OPEN: returns a new descriptor of the calling process, or
 * -errno (oprof/kmod.h).
 */
int image_open_file(u32 cookie);

#endif
