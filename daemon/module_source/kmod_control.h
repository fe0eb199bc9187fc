/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel module's control filesystem (doc/kmod.md) as a folder with settings, commands,
 * counters and the buffer. Errors are reported with their remedy.
 *
 * Elsewhere: the content of the buffer (kmod_state), the values to set (kmod_setup).
 */
#ifndef DAEMON_KMOD_CONTROL_H
#define DAEMON_KMOD_CONTROL_H

#include "lib/diag.h"

#include <stddef.h>
#include <stdint.h>

#define KMOD_CONTROL_WORD_BYTES 64

/*
 * Descriptors are opened once, since a daemon that has dropped its privileges cannot open these
 * files again. -1: not open.
 */
struct kmod_control {
	int folder_fd;
	int buffer_fd, enable_fd, dump_fd, thinning_fd;
};

void kmod_control_init(struct kmod_control *control);

/*
 * Opens the folder at path (NULL: OPROF_KMOD_MOUNT) if it belongs to a module of a supported
 * version. sysfs_path (NULL: OPROF_KMOD_SYSFS) is a folder that exists while the module is loaded.
 * Returns 0; -ENOENT: the module is not loaded or its filesystem is not mounted; -EPROTONOSUPPORT;
 * or another -errno. diag has the remedy. Call kmod_control_close in any case.
 */
int kmod_control_open(struct kmod_control *control, const char *path, const char *sysfs_path,
		      struct diag *diag);
void kmod_control_close(struct kmod_control *control);

/*
 * Writes a setting. The buffer must not be open yet. name may contain a folder, such as "0/event".
 * Returns 0 or -errno.
 */
int kmod_control_set(const struct kmod_control *control, const char *name, uint64_t value,
		     struct diag *diag);
/* Like kmod_control_set, but does nothing and returns 0 if the file does not exist. */
int kmod_control_set_if_there(const struct kmod_control *control, const char *name, uint64_t value,
			      struct diag *diag);

/* Reads the first word of a file to word[KMOD_CONTROL_WORD_BYTES]. Returns 0 or -errno. */
int kmod_control_word(const struct kmod_control *control, const char *name, char *word);

/*
 * Opens the buffer and the files for commands. Opening the buffer applies the settings. Returns 0
 * or -errno.
 */
int kmod_control_open_buffer(struct kmod_control *control, struct diag *diag);

/* Closes the buffer: the module frees the buffer's content, and another daemon may open it. */
void kmod_control_close_buffer(struct kmod_control *control);

/* Each of these functions writes a command. Returns 0 or the module's -errno. */
int kmod_control_enable(const struct kmod_control *control, int on);
int kmod_control_dump(const struct kmod_control *control);
int kmod_control_thin(const struct kmod_control *control, unsigned int thinning);

#endif
