/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verbs of optrace that have their own files. argv[0] is the program's name in help. */
#ifndef CONTROL_OPTRACE_H
#define CONTROL_OPTRACE_H

/*
 * These functions return the exit status. COMMAND_EXIT_OURS: oprof failed, not the command that is
 * traced.
 */
int optrace_record(int argc, const char **argv);
int optrace_start(int argc, const char **argv);
int optrace_stop(int argc, const char **argv);
int optrace_snapshot(int argc, const char **argv);
int optrace_status(int argc, const char **argv);

#endif
