/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprof doctor: checks whether this user can profile on this machine, and what would improve
 * profiling. Prints a list of findings, each with a command as its remedy.
 */
#ifndef CONTROL_DOCTOR_H
#define CONTROL_DOCTOR_H

#include "control/module/module_tool.h"

#include <stdbool.h>
#include <stdio.h>

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE, /* profiling works, but could be better */
	DOCTOR_FAIL, /* profiling is impossible */
};

struct doctor_finding {
	enum doctor_level level;
	const char *what;
	char found[512];
	char remedy[512]; /* empty: there is no remedy, or none is needed */
};

/* Prints all findings. Returns whether this user can profile at least their own processes. */
bool doctor_run(FILE *stream);

/* The individual checks. root: prefix of /proc and /sys; "" except in tests. */
void doctor_check_tools(struct doctor_finding *finding);
void doctor_check_own(struct doctor_finding *finding);
void doctor_check_kernel_mode(struct doctor_finding *finding);
void doctor_check_system(struct doctor_finding *finding);
void doctor_check_counters(struct doctor_finding *finding);
void doctor_check_rings(struct doctor_finding *finding);
void doctor_check_open_files(struct doctor_finding *finding);
void doctor_check_level(const char *root, struct doctor_finding *finding);
void doctor_check_rate(const char *root, struct doctor_finding *finding);
void doctor_check_kernel_symbols(const char *root, struct doctor_finding *finding);
void doctor_check_debug_info(const char *root, struct doctor_finding *finding);
void doctor_check_frame_pointers(struct doctor_finding *finding);
void doctor_check_module(const char *root, struct doctor_finding *finding);
/*
 * Sets the finding for a module that is not loaded. answer reports whether the module could be
 * loaded. Only doctor_check_module and tests call this function.
 */
void doctor_judge_module(const struct module_answer *answer, struct doctor_finding *finding);
void doctor_check_btf(const char *root, struct doctor_finding *finding);
void doctor_check_tracefs(const char *root, struct doctor_finding *finding);
void doctor_check_filter(const char *root, struct doctor_finding *finding);
void doctor_check_confinement(const char *root, struct doctor_finding *finding);

/* Sets level, found and remedy (NULL: no remedy). */
void doctor_set(struct doctor_finding *finding, enum doctor_level level, const char *remedy,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
