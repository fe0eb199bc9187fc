/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operf's command line. */
#ifndef CONTROL_OPERF_OPTIONS_H
#define CONTROL_OPERF_OPTIONS_H

#include "control/daemon/sampling.h"
#include "events/events.h"
#include "lib/diag.h"

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define OPERF_SESSION_DIR    "./oprofile_data"
#define OPERF_CHAIN_DEPTH    127 /* depth of call chains for -g */
#define OPERF_RING_PAGES_MAX 16384

#define OPERF_SECONDS_MAX (366 * 24 * 3600)
/* Limit for -d N: a larger number is more likely a date. */
#define OPERF_D_SECONDS_MAX (24 * 3600)

/*
 * Either exactly one of command, pids and system is set, or both command and system are set. In
 * the latter case, the machine is profiled while the command runs.
 */
struct operf_options {
	struct sampling sampling;
	char *session_dir; /* malloc'ed */
	char **command;	   /* the command and its arguments, NULL-terminated; NULL: no command */
	pid_t *pids;
	size_t nr_pids, room_pids;
	bool system;
	bool append;
	bool verbose;
	bool is_verb; /* called as "oprof run" */
	/*
	 * duration of the profile; 0: until Ctrl-C or until the processes end. Always 0 with a
	 * command.
	 */
	unsigned int seconds;
	unsigned int sample_pages; /* 0: the daemon chooses */
	poptContext popt;	   /* owns command */
};

/*
 * Parses argv as passed to main(). Returns 0; 1 if --help or --version was printed; or -EINVAL or
 * -ENOMEM with diag. The caller must call operf_options_deinit, also after an error.
 */
int operf_options_parse(struct operf_options *options, int argc, const char **argv,
			struct diag *diag);
void operf_options_deinit(struct operf_options *options);

#endif
