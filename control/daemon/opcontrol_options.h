/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opcontrol's command line: actions, and settings to store in the setup. */
#ifndef CONTROL_OPCONTROL_OPTIONS_H
#define CONTROL_OPCONTROL_OPTIONS_H

#include "control/daemon/setup_file.h"
#include "lib/diag.h"

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>

#define OPCONTROL_SESSION_DIR "/var/lib/oprofile"

#define OPCONTROL_LEFT_ON_BUDGET "1" /* percent of a CPU */

enum opcontrol_action {
	OPCONTROL_INIT = 1 << 0,
	OPCONTROL_SETUP = 1 << 1,
	OPCONTROL_START_DAEMON = 1 << 2,
	OPCONTROL_START = 1 << 3,
	OPCONTROL_STOP = 1 << 4,
	OPCONTROL_DUMP = 1 << 5,
	OPCONTROL_SAVE = 1 << 6,
	OPCONTROL_RESET = 1 << 7,
	OPCONTROL_SHUTDOWN = 1 << 8,
	OPCONTROL_DEINIT = 1 << 9,
	OPCONTROL_STATUS = 1 << 10,
	OPCONTROL_LIST_EVENTS = 1 << 11,
	OPCONTROL_HEALTH = 1 << 12,
};

struct opcontrol_setting {
	const char *key; /* key for setup_set() */
	char *value;
};

struct opcontrol_options {
	unsigned int actions;		    /* bits of enum opcontrol_action */
	struct opcontrol_setting *settings; /* in the order of the command line */
	size_t nr_settings, room_settings;
	char *session_dir; /* malloc'ed */
	char *save_name;   /* malloc'ed; not NULL if actions has OPCONTROL_SAVE */
	bool verbose;
	bool left_on;	 /* use the defaults of oprof start */
	bool no_build;	 /* init: load the module only if it exists already */
	bool boot;	 /* start or shutdown: also for later boots */
	bool foreground; /* start: become the daemon */
	poptContext popt;
};

/* Parses the command line. Parameters and results are those of operf_options_parse(). */
int opcontrol_options_parse(struct opcontrol_options *options, int argc, const char **argv,
			    struct diag *diag);
void opcontrol_options_deinit(struct opcontrol_options *options);

bool opcontrol_options_has_setting(const struct opcontrol_options *options, const char *key);

/* Applies the settings of the command line to setup. Returns 0, -EINVAL or -ENOMEM. */
int opcontrol_options_apply(const struct opcontrol_options *options, struct setup *setup,
			    struct diag *diag);

#endif
