/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs of optrace that read a trace folder. Each parses its own command line. */
#ifndef PP_OPTRACE_READ_H
#define PP_OPTRACE_READ_H

struct ctf_reader;

#define OPTRACE_FOLDER "oprofile_trace"

/* Return 0 or -errno after logging the error. argv[0] is "optrace". */
int optrace_events(int argc, const char **argv);
int optrace_stats(int argc, const char **argv);

/* Warns of chunks whose metadata cannot be read, and returns their number. */
unsigned int optrace_read_tell_chunks(const struct ctf_reader *reader);

#endif
