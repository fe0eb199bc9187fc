/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Image cookies: binary files by (device, inode, inode generation, modification time,
 * size), regions of memory without a file by process and address, kernel
 * modules. A cookie is told by an IMAGE record before it is used.
 *
 * A file is held (its path: mount and name) from its cookie's making until the
 * daemon has taken its descriptor; after that only its key is kept, so that its
 * file system can be unmounted. Images not used for long are released when there
 * are IMAGE_NR_MAX, regions with their process.
 *
 * The worker alone, but for image_open_file().
 */
#ifndef KMOD_IMAGE_H
#define KMOD_IMAGE_H

#include <linux/fs.h>
#include <linux/types.h>

#define IMAGE_NR_MAX	     65536 /* files; twice as many within one pass */
#define IMAGE_NR_REGIONS_MAX 64	   /* of one process; further ones are one, from address 0 */

struct generation;

int image_open(void); /* 0 or -ENOMEM. May sleep. */
void image_close(void);

/*
 * The cookie, told to the daemon if it was not: *cookie. -ENOMEM; -ENOSPC: the event
 * buffer has no room to tell it (the sample is lost_buffer). May sleep.
 */
int image_of_file(struct file *file, u32 *cookie);
/*
 * A region; name as /proc/PID/maps has it, "" for plain memory. *from: what offsets count from.
 * "[vdso]": the same cookie for all processes whose vdso is of that size.
 */
int image_of_region(struct generation *generation, const char *name, u64 start, u64 end,
		    u32 *cookie, u64 *from);
int image_of_module(const char *name, u64 start, u64 end, u32 *cookie);

/*
 * A file's cookie, kept for some passes, is used again. False: it has been released, and must
 * not be told any more.
 */
bool image_use(u32 cookie);

/* It went: a module's cookie. -ENOSPC: again next pass. */
int image_release_module(u32 cookie);
/* The process has ended, or runs another program: release its regions. -ENOSPC: again next pass. */
int image_release_regions(struct generation *generation);
/* The run ends: free them, and tell nobody. */
void image_forget_regions(struct generation *generation);

/* Once a pass: release what has not been used for long, if there are too many. */
void image_tend(void);

/* OPROF_KMOD_IMAGE_OPEN: a new descriptor of the calling process, or -errno (oprof/kmod.h). */
int image_open_file(u32 cookie);

#endif
