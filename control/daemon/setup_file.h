/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings that opcontrol --setup stores: a text in <session dir>/setup with lines "key=value"
 * and # comments (FILES in opcontrol(1)). Keys are the names of opcontrol's options.
 */
#ifndef CONTROL_SETUP_FILE_H
#define CONTROL_SETUP_FILE_H

#include "control/daemon/sampling.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

#define SETUP_FILE_NAME "setup"

enum setup_source {
	SETUP_SOURCE_AUTO, /* the kernel module if it is loaded, otherwise perf */
	SETUP_SOURCE_KMOD,
	SETUP_SOURCE_PERF,
	SETUP_SOURCE_NR,
};

/* Names of these values in options and files. */
extern const char *const setup_source_names[SETUP_SOURCE_NR];

enum setup_vmlinux { SETUP_VMLINUX_UNSET, SETUP_VMLINUX_FILE, SETUP_VMLINUX_NONE };

struct setup {
	struct sampling sampling;
	bool kept;     /* the file exists: settings were chosen, even if they equal the defaults */
	char *image;   /* NULL: all images */
	char *vmlinux; /* set if kernel is SETUP_VMLINUX_FILE */
	enum setup_vmlinux kernel;
	unsigned int buffer_size;      /* number of samples; 0: the default */
	unsigned int buffer_watershed; /* samples */
	unsigned int cpu_buffer_size;  /* number of samples in each CPU's ring */
	char *metrics;		       /* file to which metrics are written; NULL: no metrics */
	uint64_t history_bytes;	       /* 0: the default */
	unsigned int history_days;
	double cpu_budget;     /* percent of a CPU; 0: no budget */
	bool cpu_budget_given; /* false: the command's default applies */
	enum setup_source source;
};

void setup_init(struct setup *setup);
void setup_deinit(struct setup *setup);

/*
 * Sets one setting by its key. If the setting is a list (event, separate), adds value to the list.
 * Returns 0, or -EINVAL or -ENOMEM with diag.
 */
int setup_set(struct setup *setup, const char *key, const char *value, struct diag *diag);

/*
 * Initializes setup from the file in the session folder. folder_fd: descriptor of the folder, or -1
 * if the folder does not exist. If there is no file, sets the defaults. session_dir: the folder's
 * path, for messages.
 */
int setup_load(struct setup *setup, int folder_fd, const char *session_dir, struct diag *diag);
int setup_save(const struct setup *setup, int folder_fd, const char *session_dir,
	       struct diag *diag);

/* Sets all settings that text contains. Modifies text. file: the file's name in messages. */
int setup_parse(struct setup *setup, const char *file, char *text, struct diag *diag);

/* Returns the malloc'ed text of the file; NULL if out of memory. */
char *setup_format(const struct setup *setup);

/*
 * Adds --system and all settings to the daemon's command line, after checking them against the
 * event tables. Returns 0, or -errno and diag.
 */
int setup_to_args(const struct setup *setup, struct daemon_args *args, struct diag *diag);

/*
 * Returns the number of pages of a perf ring for cpu_buffer_size samples; 0: cpu_buffer_size is not
 * set.
 */
unsigned int setup_ring_pages(const struct setup *setup);

#endif
