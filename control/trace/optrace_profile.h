/* SPDX-License-Identifier: GPL-2.0-or-later */
/* optrace profile: a report of the samples that are in a trace. */
#ifndef CONTROL_OPTRACE_PROFILE_H
#define CONTROL_OPTRACE_PROFILE_H

/*
 * Its command line, argv[0] the program's name for help; folder: the trace
 * where none is given. The exit status; what is wrong has been told.
 */
int optrace_profile(int argc, const char **argv, const char *folder);

#endif
