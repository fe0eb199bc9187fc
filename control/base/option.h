/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command line options: functions on top of popt that all commands use. */
#ifndef CONTROL_OPTION_H
#define CONTROL_OPTION_H

#include "lib/diag.h"

#include <popt.h>

enum option_show { OPTION_SHOW_HELP, OPTION_SHOW_VERSION };

/*
 * Begins to parse the options of a command line. The options end at the first non-option argument.
 * The help text shows `usage` after the program's name. Returns NULL if out of memory.
 */
poptContext option_begin(int argc, const char **argv, const struct poptOption *table,
			 const char *usage);

/* Prints the help or the version to stdout. */
void option_show(poptContext context, enum option_show what, const char *program);

/*
 * Reports an error of poptGetNextOpt() in diag. code: the result of poptGetNextOpt(), which is
 * below -1. help: the command that shows the options; the message names this command. Returns
 * -EINVAL.
 */
int option_error(poptContext context, int code, const char *help, struct diag *diag);

/*
 * Returns a NULL-terminated array of the arguments after the options, or NULL if there are none.
 * context owns the array.
 */
char **option_rest(poptContext context);

/* Replaces *kept (malloc'ed or NULL) by a copy of text. Returns 0, or -ENOMEM and diag. */
int option_keep(char **kept, const char *text, struct diag *diag);

/*
 * Flushes stdout at the end of a program. Returns `status` as the program's exit status. If the
 * output could not be written (full disk), reports this on stderr and returns a status other than
 * 0.
 */
int option_end_output(int status);

#endif
