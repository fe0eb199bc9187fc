/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs of optrace that read a trace folder. Each verb parses its own command line. */
#ifndef PP_OPTRACE_READ_H
#define PP_OPTRACE_READ_H

#include "lib/diag.h"

struct ctf_reader;

#define OPTRACE_FOLDER "oprofile_trace"

/* Each function runs a verb. Returns 0, or -errno after logging the error. argv[0] is "optrace". */
int optrace_events(int argc, const char **argv);
int optrace_stats(int argc, const char **argv);

/*
 * Opens the trace as ctf_reader_open() does. If root reads the trace of another user, this process
 * becomes that user first (read_folder.h).
 */
int optrace_read_open(struct ctf_reader **reader, const char *folder, struct diag *diag);

/* Warns of chunks whose metadata cannot be read, and returns their number. */
unsigned int optrace_read_tell_chunks(const struct ctf_reader *reader);

#endif
