/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel module's control filesystem (doc/kmod.md), as a folder: its
 * settings, its commands, its counters, its buffer. What fails is said with
 * its remedy.
 *
 * Not for: what is in the buffer (kmod_stream), what to set (kmod_setup).
 */
#ifndef DAEMON_KMOD_CONTROL_H
#define DAEMON_KMOD_CONTROL_H

#include "lib/diag.h"

#include <stddef.h>
#include <stdint.h>

#define KMOD_CONTROL_WORD_BYTES 64

/*
 * Opened once: after the daemon has dropped its privileges it may not open
 * anything here any more. -1: not open.
 */
struct kmod_control {
	int folder_fd;
	int buffer_fd, enable_fd, dump_fd, thinning_fd;
};

void kmod_control_init(struct kmod_control *control);

/*
 * The folder at path (NULL: OPROF_KMOD_MOUNT), if it is of a module that we
 * understand. sysfs_path (NULL: OPROF_KMOD_SYSFS) is there while it is loaded.
 * 0; -ENOENT: not loaded, or not mounted; -EPROTONOSUPPORT; -errno. diag has the remedy.
 * kmod_control_close in any case.
 */
int kmod_control_open(struct kmod_control *control, const char *path, const char *sysfs_path,
		      struct diag *diag);
void kmod_control_close(struct kmod_control *control);

/* One setting; name may be "0/event". Before the buffer is open. */
int kmod_control_set(const struct kmod_control *control, const char *name, uint64_t value,
		     struct diag *diag);
/* ... where it may be that there is no such file: then nothing. */
int kmod_control_set_if_there(const struct kmod_control *control, const char *name, uint64_t value,
			      struct diag *diag);

/* The first word of a file, at most KMOD_CONTROL_WORD_BYTES. 0 or -errno. */
int kmod_control_word(const struct kmod_control *control, const char *name, char *word);

/* The buffer, which takes the settings, and what commands need. 0 or -errno with diag. */
int kmod_control_open_buffer(struct kmod_control *control, struct diag *diag);

/* What it held is given back; another may have it. */
void kmod_control_close_buffer(struct kmod_control *control);

/* 0 or -errno of the module. */
int kmod_control_enable(const struct kmod_control *control, int on);
int kmod_control_dump(const struct kmod_control *control);
int kmod_control_thin(const struct kmod_control *control, unsigned int thinning);

#endif
