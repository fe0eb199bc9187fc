// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/base/option.h"

#include "lib/file.h"
#include "lib/log.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

poptContext option_begin(int argc, const char **argv, const struct poptOption *table,
			 const char *usage)
{
	poptContext context = poptGetContext(NULL, argc, argv, table, POPT_CONTEXT_POSIXMEHARDER);

	if (context)
		poptSetOtherOptionHelp(context, usage);
	return context;
}

void option_show(poptContext context, enum option_show what, const char *program)
{
	if (what == OPTION_SHOW_VERSION)
		(void)printf("%s (oprof) %s\n", program, OPROF_VERSION);
	else
		poptPrintHelp(context, stdout, 0);
}

int option_error(poptContext context, int code, const char *help, struct diag *diag)
{
	return diag_set(diag, -EINVAL, "%s: %s; see %s", poptBadOption(context, 0),
			poptStrerror(code), help);
}

char **option_rest(poptContext context)
{
	/* popt owns the returned array. The cast drops const, as execvp()'s prototype requires. */
	return (char **)(uintptr_t)poptGetArgs(context);
}

int option_keep(char **kept, const char *text, struct diag *diag)
{
	char *copy = strdup(text);

	if (!copy)
		return diag_set(diag, -ENOMEM, "out of memory for options");
	free(*kept);
	*kept = copy;
	return 0;
}

int option_end_output(int status)
{
	int error = file_flush(stdout);

	if (!error)
		return status;
	log_error("cannot write the output: %s", strerror(-error));
	return status ? status : EXIT_FAILURE;
}
