/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of the control filesystem, with their operations. Opening a file
 * requires CAP_SYS_ADMIN.
 *
 * The settings belong to the module, not to a mount: unmounting does not
 * change them. A mutex serialises writes and reads of settings, and the
 * opening of the buffer, which copies the settings.
 */
#ifndef KMOD_CONTROL_FILE_H
#define KMOD_CONTROL_FILE_H

#include <linux/fs.h>
#include <linux/types.h>

#include "kmod/stats.h"

/* A file to be created. `data` becomes the i_private of its inode, which the operations use. */
struct control_file {
	const char *name;
	umode_t mode;
	const struct file_operations *operations;
	void *data;
};

/*
 * The operations of the file OPROF_KTRACE_FILE, which kmod/trace/trace_file.c
 * defines. These operations are declared here so that control_file.c includes
 * no header of kmod/trace/.
 */
extern const struct file_operations trace_session_operations;

/* Sets the settings to their defaults. To be called when the module is loaded. */
void control_file_init(void);

/*
 * Each of these functions describes one file of a folder in *file: the file
 * with the number `index`, counted from 0. Each returns false if there is no
 * such file. The data to which *file points is valid as long as the module is
 * loaded.
 */
bool control_file_top(unsigned int index, struct control_file *file);
bool control_file_counter(unsigned int counter, unsigned int index, struct control_file *file);
/* The files of stats/cpuN. If cpu is -1, the files of stats/, which have the sums over all CPUs. */
bool control_file_stats(int cpu, unsigned int index, struct control_file *file);

#endif
