/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command line options, common to all commands, on top of popt. */
#ifndef CONTROL_OPTION_H
#define CONTROL_OPTION_H

#include "lib/diag.h"

#include <popt.h>

enum option_show { OPTION_SHOW_HELP, OPTION_SHOW_VERSION };

/*
 * Options end at the first non-option argument. Help shows usage after the program's name. NULL: no
 * memory.
 */
poptContext option_begin(int argc, const char **argv, const struct poptOption *table,
			 const char *usage);

/* Prints to stdout. */
void option_show(poptContext context, enum option_show what, const char *program);

/* Reports code (below -1) from poptGetNextOpt() in diag, and refers to help. Returns -EINVAL. */
int option_error(poptContext context, int code, const char *help, struct diag *diag);

/* Returns the arguments after the options, NULL-terminated; NULL: none. Owned by context. */
char **option_rest(poptContext context);

/* Replaces *kept (malloc'ed or NULL) by a copy of text. Returns 0 or -ENOMEM. */
int option_keep(char **kept, const char *text, struct diag *diag);

/*
 * Returns the exit status of a program that would end with status: if its
 * output could not be written (full disk), reports this on stderr and returns
 * non-zero.
 */
int option_end_output(int status);

#endif
