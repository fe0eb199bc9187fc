/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of the control filesystem: what reading and writing them does.
 * Opening them requires CAP_SYS_ADMIN.
 *
 * The settings belong to the module, not to a mount: unmounting changes
 * nothing. A mutex excludes writes to them from each other, from reads, and
 * from the opening of the buffer, which copies the settings.
 */
#ifndef KMOD_CONTROL_FILE_H
#define KMOD_CONTROL_FILE_H

#include <linux/fs.h>
#include <linux/types.h>

#include "kmod/stats.h"

/* A file to be made: its inode gets data as i_private, for the operations. */
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

/* At module load: sets the defaults. */
void control_file_init(void);

/*
 * Describe the files of a folder by index, from 0. False: there are no more.
 * What *file points to is valid as long as the module is loaded.
 */
bool control_file_top(unsigned int index, struct control_file *file);
bool control_file_counter(unsigned int counter, unsigned int index, struct control_file *file);
/* cpu -1: the sums over all CPUs. */
bool control_file_stats(int cpu, unsigned int index, struct control_file *file);

#endif
