/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oprofiled's command line (doc/man/oprofiled.1). */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include "daemon/session/session.h"
#include "daemon/source.h"
#include "daemon/profiler/source_choice.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define OPTIONS_FREQUENCY_HZ 99

enum options_result { OPTIONS_RUN, OPTIONS_DONE /* help or version was printed */ };

struct options {
	char *session_dir;
	/*
	 * Absolute path. If NULL, a background daemon logs to <session dir>/oprofiled.log, and a
	 * daemon in the foreground to the journal or stderr.
	 */
	char *log_file;
	char *metrics_file; /* absolute; NULL: no metrics */
	double cpu_budget;  /* percent of a CPU; 0: no budget */
	int ready_fd;	    /* -1: not used */
	/* process that started the daemon; the daemon ends when this process ends; 0: none */
	pid_t parent;
	uid_t session_owner; /* the user to whom the session folder must belong; 0: not checked */
	bool foreground, start, verbose, keep_privileges;
	enum session_begin begin;
	unsigned int separation;
	struct event_choice events[SOURCE_EVENTS_MAX];
	size_t nr_events;
	pid_t *pids;
	size_t nr_pids, room_pids;
	bool enable_on_exec;
	unsigned int sample_pages, side_pages, chain_depth;
	enum source_unwind unwind;
	unsigned int stack_bytes; /* 0: the source chooses */
	enum source_wish source;
	uint64_t buffer_size, buffer_watershed, cpu_buffer_size; /* 0: the defaults */
	uint64_t history_bytes;					 /* 0: the default */
	unsigned int history_days;				 /* 0: no age limit */
};

/*
 * Reads argv, sets defaults for options that are not given, loads the event tables and chooses
 * events. options need not be initialized. The caller must call options_deinit, also after an
 * error. Returns 0 or -errno with diag.
 */
int options_parse(struct options *options, int argc, const char **argv, enum options_result *result,
		  struct diag *diag);
void options_deinit(struct options *options);

#endif
