/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of the control filesystem, with their operations. Opening them
 * requires CAP_SYS_ADMIN.
 *
 * The settings belong to the module, not to a mount: unmounting changes
 * nothing. A mutex serialises writes and reads of settings, and the opening of
 * the buffer, which copies the settings.
 */
#ifndef KMOD_CONTROL_FILE_H
#define KMOD_CONTROL_FILE_H

#include <linux/fs.h>
#include <linux/types.h>

#include "kmod/stats.h"

/* A file to be created: data becomes its inode's i_private, which the operations use. */
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
 * Describe the files of a folder by index, from 0. Return false if there are
 * no more. The data to which *file points is valid as long as the module is
 * loaded.
 */
bool control_file_top(unsigned int index, struct control_file *file);
bool control_file_counter(unsigned int counter, unsigned int index, struct control_file *file);
/* cpu -1: the sums over all CPUs. */
bool control_file_stats(int cpu, unsigned int index, struct control_file *file);

#endif
