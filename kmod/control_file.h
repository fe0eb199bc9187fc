/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of the control filesystem: what can be read and written, and what
 * that means. They are opened with CAP_SYS_ADMIN only.
 *
 * The settings are the module's, not the mounted file system's: unmounting
 * changes nothing. A mutex keeps writes to them apart from each other, from
 * reads, and from the opening of the buffer, which takes them.
 */
#ifndef KMOD_CONTROL_FILE_H
#define KMOD_CONTROL_FILE_H

#include <linux/fs.h>
#include <linux/types.h>

#include "kmod/stats.h"

/* A file to be: its inode gets data as i_private, which the operations know what to do with. */
struct control_file {
	const char *name;
	umode_t mode;
	const struct file_operations *operations;
	void *data;
};

/*
 * The operations of the file OPROF_KTRACE_FILE, which kmod/trace/trace_file.c defines. They are
 * declared here so that control_file.c includes no header of kmod/trace/.
 */
extern const struct file_operations trace_session_operations;

/* At load: the settings' defaults. */
void control_file_init(void);

/*
 * The files of a folder by index, from 0 on: false, there are no more. What
 * *file points to lasts as long as the module.
 */
bool control_file_top(unsigned int index, struct control_file *file);
bool control_file_counter(unsigned int counter, unsigned int index, struct control_file *file);
/* cpu -1: the sums. */
bool control_file_stats(int cpu, unsigned int index, struct control_file *file);

#endif
