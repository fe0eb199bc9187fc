/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Image cookies are the numbers of binary files, of memory regions without a
 * file, and of kernel modules. The key of a file is its (device, inode, inode
 * generation, modification time, size). A region is identified by its process
 * and address. A cookie is reported by an IMAGE record before any other record
 * uses it.
 *
 * When a file gets a cookie, a reference to the file's path (mount and name) is
 * taken. It is held until the daemon has opened the file. Then only the key is
 * kept, so that the file system can be unmounted. When there are IMAGE_NR_MAX
 * files, the least recently used files are released. Regions are released with
 * their process.
 *
 * Only the worker may call these functions, except image_open_file().
 */
#ifndef KMOD_IMAGE_H
#define KMOD_IMAGE_H

#include <linux/fs.h>
#include <linux/types.h>

/* Maximum number of files; within one pass, up to twice as many are kept. */
#define IMAGE_NR_MAX 65536
/* Maximum number of regions of a process. One more region, from address 0, stands for the rest. */
#define IMAGE_NR_REGIONS_MAX 64

struct generation;

int image_open(void); /* returns 0 or -ENOMEM; may sleep */
void image_close(void);

/*
 * Finds or creates the file's cookie, and reports a new cookie to the daemon.
 * Returns 0; -ENOMEM; -ENOSPC: the event buffer has no room for the IMAGE
 * record, and the caller counts the sample as lost_buffer. May sleep.
 */
int image_of_file(struct file *file, u32 *cookie);
/*
 * Finds or creates the cookie of a memory region. `name` is the name in
 * /proc/PID/maps, or "" for memory without a name. *from becomes the address
 * at which the image's offsets begin. "[vdso]" has the same cookie in all
 * processes whose vdso has the same size.
 */
int image_of_region(struct generation *generation, const char *name, u64 start, u64 end,
		    u32 *cookie, u64 *from);
int image_of_module(const char *name, u64 start, u64 end, u32 *cookie);

/*
 * Marks a file's cookie as used in this pass. The caller found the cookie in an
 * earlier pass. Returns false if the cookie has been released; records must not
 * use a released cookie.
 */
bool image_use(u32 cookie);

/* Releases the cookie of an unloaded module. -ENOSPC: call this function again in the next pass. */
int image_release_module(u32 cookie);
/*
 * Releases the regions of a process that ended or runs another program.
 * -ENOSPC: call this function again in the next pass.
 */
int image_release_regions(struct generation *generation);
/* Frees the regions at the end of a run, without RELEASE records. */
void image_forget_regions(struct generation *generation);

/*
 * To be called once per pass. If there are too many files, releases the least
 * recently used files.
 */
void image_tend(void);

/*
 * The call OPROF_KMOD_IMAGE_OPEN (oprof/kmod.h): returns a new descriptor of
 * the calling process, or -errno.
 */
int image_open_file(u32 cookie);

#endif
