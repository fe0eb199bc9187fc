/* SPDX-License-Identifier: GPL-2.0-or-later */
/* optrace's verbs that have a file of their own: argv[0] is what help calls the program. */
#ifndef CONTROL_OPTRACE_H
#define CONTROL_OPTRACE_H

/* Exit statuses; COMMAND_EXIT_OURS where it is not the command that failed. */
int optrace_record(int argc, const char **argv);
int optrace_start(int argc, const char **argv);
int optrace_stop(int argc, const char **argv);
int optrace_snapshot(int argc, const char **argv);
int optrace_status(int argc, const char **argv);

#endif
