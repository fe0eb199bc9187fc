/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What opcontrol --setup keeps: text in <session dir>/setup, lines
 * "key=value" and # comments; see FILES in opcontrol(1). Keys are the names
 * of opcontrol's options.
 */
#ifndef CONTROL_SETUP_FILE_H
#define CONTROL_SETUP_FILE_H

#include "control/daemon/sampling.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

#define SETUP_FILE_NAME "setup"

enum setup_source {
	SETUP_SOURCE_AUTO, /* the kernel module where it is loaded, else perf */
	SETUP_SOURCE_KMOD,
	SETUP_SOURCE_PERF,
	SETUP_SOURCE_NR,
};

/* As they are written. */
extern const char *const setup_source_names[SETUP_SOURCE_NR];

enum setup_vmlinux { SETUP_VMLINUX_UNSET, SETUP_VMLINUX_FILE, SETUP_VMLINUX_NONE };

struct setup {
	struct sampling sampling;
	bool kept;     /* there is a file: somebody chose, if only the defaults */
	char *image;   /* NULL: all */
	char *vmlinux; /* with SETUP_VMLINUX_FILE */
	enum setup_vmlinux kernel;
	unsigned int buffer_size;      /* samples; 0: not given, as below */
	unsigned int buffer_watershed; /* samples */
	unsigned int cpu_buffer_size;  /* samples in each processor's ring */
	char *metrics;		       /* where they go; NULL: none */
	uint64_t history_bytes;	       /* 0: not given, as below */
	unsigned int history_days;
	double cpu_budget;     /* percent of a CPU; 0: none */
	bool cpu_budget_given; /* else it is the default of who asks */
	enum setup_source source;
};

void setup_init(struct setup *setup);
void setup_deinit(struct setup *setup);

/*
 * One setting by its key; lists (event, separate) add to what is there.
 * 0, -EINVAL, -ENOMEM.
 */
int setup_set(struct setup *setup, const char *key, const char *value, struct diag *diag);

/* The file of session_dir into setup, which is init'ed by it. A missing file is all defaults. */
int setup_load(struct setup *setup, const char *session_dir, struct diag *diag);
int setup_save(const struct setup *setup, const char *session_dir, struct diag *diag);

/* text is cut up; file is for messages. */
int setup_parse(struct setup *setup, const char *file, char *text, struct diag *diag);

/* The file's text, malloc'ed; NULL: no memory. */
char *setup_format(const struct setup *setup);

/*
 * All that the setup says to a daemon's command line: --system and the
 * settings, checked against the event tables. 0 or -errno and diag.
 */
int setup_to_args(const struct setup *setup, struct daemon_args *args, struct diag *diag);

/* Pages of a sample ring that holds cpu_buffer_size samples; 0: not given. */
unsigned int setup_ring_pages(const struct setup *setup);

#endif
