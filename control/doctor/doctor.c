// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/doctor/doctor.h"

#include <stdarg.h>

void doctor_set(struct doctor_finding *finding, enum doctor_level level, const char *remedy,
		const char *format, ...)
{
	va_list args;

	finding->level = level;
	(void)snprintf(finding->remedy, sizeof(finding->remedy), "%s", remedy ? remedy : "");
	va_start(args, format);
	(void)vsnprintf(finding->found, sizeof(finding->found), format, args);
	va_end(args);
}

/* A check uses either system calls, or files below a root folder. */
static const struct {
	const char *what;
	void (*check)(struct doctor_finding *finding);
	void (*check_files)(const char *root, struct doctor_finding *finding);
} doctor_checks[] = {
	{"programs", doctor_check_tools, NULL},
	{"own processes", doctor_check_own, NULL},
	{"kernel mode", doctor_check_kernel_mode, NULL},
	{"whole machine", doctor_check_system, NULL},
	{"paranoid level", NULL, doctor_check_level},
	{"system call filter", NULL, doctor_check_filter},
	{"confinement", NULL, doctor_check_confinement},
	{"counters", doctor_check_counters, NULL},
	{"sample rate", NULL, doctor_check_rate},
	{"locked memory", doctor_check_rings, NULL},
	{"open files", doctor_check_open_files, NULL},
	{"kernel symbols", NULL, doctor_check_kernel_symbols},
	{"debug info", NULL, doctor_check_debug_info},
	{"frame pointers", doctor_check_frame_pointers, NULL},
	{"kernel module", NULL, doctor_check_module},
	{"BTF", NULL, doctor_check_btf},
	{"tracefs", NULL, doctor_check_tracefs},
};

static void print_finding(FILE *stream, const struct doctor_finding *finding)
{
	static const char *const levels[] = {
		[DOCTOR_OK] = "ok", [DOCTOR_NOTE] = "note", [DOCTOR_FAIL] = "FAIL"};

	(void)fprintf(stream, "%-5s %-19s %s\n", levels[finding->level], finding->what,
		      finding->found);
	if (finding->remedy[0])
		(void)fprintf(stream, "%-25s -> %s\n", "", finding->remedy);
}

bool doctor_run(FILE *stream)
{
	bool works = true;

	for (size_t i = 0; i < sizeof(doctor_checks) / sizeof(doctor_checks[0]); i++) {
		struct doctor_finding finding = {.what = doctor_checks[i].what};

		if (doctor_checks[i].check)
			doctor_checks[i].check(&finding);
		else
			doctor_checks[i].check_files("", &finding);
		print_finding(stream, &finding);
		if (finding.level == DOCTOR_FAIL)
			works = false;
	}
	(void)fprintf(
		stream, "\n%s\n",
		works ? "Profiling works on this machine. To profile a command: oprof run COMMAND"
		      : "Nothing can be profiled yet: see the lines marked FAIL.");
	return works;
}
