/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings that opcontrol --setup keeps: text in <session dir>/setup, lines
 * "key=value" and # comments; see FILES in opcontrol(1). Keys are the names of
 * opcontrol's options.
 */
#ifndef CONTROL_SETUP_FILE_H
#define CONTROL_SETUP_FILE_H

#include "control/daemon/sampling.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

#define SETUP_FILE_NAME "setup"

enum setup_source {
	SETUP_SOURCE_AUTO, /* the kernel module if it is loaded, else perf */
	SETUP_SOURCE_KMOD,
	SETUP_SOURCE_PERF,
	SETUP_SOURCE_NR,
};

/* Their names in options and files. */
extern const char *const setup_source_names[SETUP_SOURCE_NR];

enum setup_vmlinux { SETUP_VMLINUX_UNSET, SETUP_VMLINUX_FILE, SETUP_VMLINUX_NONE };

struct setup {
	struct sampling sampling;
	bool kept;     /* the file exists: settings were chosen, even if they are the defaults */
	char *image;   /* NULL: all */
	char *vmlinux; /* with SETUP_VMLINUX_FILE */
	enum setup_vmlinux kernel;
	unsigned int buffer_size;      /* samples; 0: the default */
	unsigned int buffer_watershed; /* samples */
	unsigned int cpu_buffer_size;  /* samples in each CPU's ring */
	char *metrics;		       /* file that metrics are written to; NULL: none */
	uint64_t history_bytes;	       /* 0: the default */
	unsigned int history_days;
	double cpu_budget;     /* percent of a CPU; 0: none */
	bool cpu_budget_given; /* else the command's default applies */
	enum setup_source source;
};

void setup_init(struct setup *setup);
void setup_deinit(struct setup *setup);

/*
 * Sets one setting by its key; lists (event, separate) are extended. Returns 0,
 * -EINVAL, or -ENOMEM.
 */
int setup_set(struct setup *setup, const char *key, const char *value, struct diag *diag);

/* Initializes setup from the file of session_dir. A missing file means defaults. */
int setup_load(struct setup *setup, const char *session_dir, struct diag *diag);
int setup_save(const struct setup *setup, const char *session_dir, struct diag *diag);

/* Modifies text. file is for messages. */
int setup_parse(struct setup *setup, const char *file, char *text, struct diag *diag);

/* Returns the malloc'ed text of the file; NULL: no memory. */
char *setup_format(const struct setup *setup);

/*
 * Adds --system and all settings to the daemon's command line, checked against
 * the event tables. Returns 0, or -errno and diag.
 */
int setup_to_args(const struct setup *setup, struct daemon_args *args, struct diag *diag);

/* Returns the pages of a perf ring that holds cpu_buffer_size samples; 0: not given. */
unsigned int setup_ring_pages(const struct setup *setup);

#endif
