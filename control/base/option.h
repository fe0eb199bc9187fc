/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands' options have in common, round popt. */
#ifndef CONTROL_OPTION_H
#define CONTROL_OPTION_H

#include "lib/diag.h"

#include <popt.h>

enum option_show { OPTION_SHOW_HELP, OPTION_SHOW_VERSION };

/* Options end at the first word that is none. usage: behind the program's name. NULL: no memory. */
poptContext option_begin(int argc, const char **argv, const struct poptOption *table,
			 const char *usage);

/* On stdout. */
void option_show(poptContext context, enum option_show what, const char *program);

/* poptGetNextOpt() returned code (below -1): into diag, with where to look. -EINVAL. */
int option_error(poptContext context, int code, const char *help, struct diag *diag);

/* The words behind the options, NULL behind the last; NULL: there are none. The context's. */
char **option_rest(poptContext context);

/* Replace *kept (malloc'ed or NULL) by a copy of text. 0 or -ENOMEM. */
int option_keep(char **kept, const char *text, struct diag *diag);

/*
 * The exit status of a program that would end with status: 1 when what it
 * printed could not be written (a full disk), which is said on stderr.
 */
int option_end_output(int status);

#endif
