/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of optop. */
#ifndef PP_TOP_OPTIONS_H
#define PP_TOP_OPTIONS_H

#include "lib/diag.h"
#include "pp/top/top_rows.h"

#include <stdbool.h>
#include <stdint.h>

enum top_what { TOP_RUN, TOP_HELP, TOP_VERSION };

struct top_options {
	enum top_what what;
	char *session_dir; /* NULL: the folder of a running daemon */
	char *event;	   /* name; NULL: the event with the most samples, except off-cpu */
	char *filter;	   /* NULL: no filter */
	enum top_view view;
	uint64_t delay_ns, window_ns;
	bool batch;
	unsigned int nr_refreshes; /* 0: unlimited */
	unsigned int nr_rows;	   /* number of rows shown in batch mode; 0: all */
};

/*
 * Parses the command line. Returns 0, or -EINVAL or -ENOMEM with diag set. Call
 * top_options_deinit() also after an error.
 */
int top_options_parse(struct top_options *options, int argc, const char **argv, struct diag *diag);
void top_options_deinit(struct top_options *options);

void top_options_help(void);

#endif
