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
#define OPERF_CHAIN_DEPTH    127 /* of -g alone */
#define OPERF_RING_PAGES_MAX 16384

/* Exactly one of command, pids and system is asked for. */
struct operf_options {
	struct sampling sampling;
	char *session_dir; /* malloc'ed */
	char **command;	   /* with its arguments, NULL behind the last; NULL: none */
	pid_t *pids;
	size_t nr_pids, room_pids;
	bool system;
	bool append;
	bool verbose;
	unsigned int sample_pages; /* 0: the daemon's own choice */
	poptContext popt;	   /* holds command */
};

/*
 * argv as main() gets it. 0; 1 when --help or --version was answered (on
 * stdout); -EINVAL or -ENOMEM, diag. options are to be deinit'ed in any case.
 */
int operf_options_parse(struct operf_options *options, int argc, const char **argv,
			struct diag *diag);
void operf_options_deinit(struct operf_options *options);

#endif
