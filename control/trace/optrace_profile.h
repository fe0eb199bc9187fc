/* SPDX-License-Identifier: GPL-2.0-or-later */
/* optrace profile: reports the samples in a trace. */
#ifndef CONTROL_OPTRACE_PROFILE_H
#define CONTROL_OPTRACE_PROFILE_H

/*
 * argv: the verb's command line; argv[0] is the program's name in help. folder: the trace to report
 * if the command line names none. Returns the exit status; errors have been logged.
 */
int optrace_profile(int argc, const char **argv, const char *folder);

#endif
