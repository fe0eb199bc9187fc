// SPDX-License-Identifier: GPL-2.0-or-later
/* The checks of oprof doctor that try the profiler's system calls. */
#include "control/doctor/doctor.h"

#include "control/base/tool_path.h"
#include "control/events/perf_probe.h"
#include "lib/perf_hint.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The sizes of the daemon's rings if a user other than root samples without call chains. */
#define SAMPLE_PAGES 64
#define SIDE_PAGES   32

static int probe_clock(enum perf_probe_target target, enum perf_probe_mode mode)
{
	return perf_probe_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, target, mode);
}

void doctor_check_tools(struct doctor_finding *finding)
{
	static const char *const tools[] = {"oprofiled", "operf", "opcontrol", "opreport"};
	char path[PATH_MAX];

	doctor_set(finding, DOCTOR_OK, NULL, "version %s, complete", OPROF_VERSION);
	for (unsigned int i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		if (!tool_path_find(tools[i], path, sizeof(path)))
			continue;
		/*
		 * On a machine that only records, opreport may be missing (configure
		 * --disable-reports).
		 */
		doctor_set(finding, i < 2 ? DOCTOR_FAIL : DOCTOR_NOTE,
			   "install all of oprof: make install",
			   "cannot find %s in this program's folder or in %s", tools[i],
			   OPROF_LIBEXEC_DIR);
		return;
	}
}

void doctor_check_own(struct doctor_finding *finding)
{
	char hint[PERF_HINT_BYTES];
	int error = probe_clock(PERF_PROBE_SELF, PERF_PROBE_USER);

	if (!error) {
		doctor_set(finding, DOCTOR_OK, NULL, "this user can profile their own processes");
		return;
	}
	perf_open_hint(error, PERF_HINT_OWN_USER, !geteuid(), hint, sizeof(hint));
	doctor_set(finding, DOCTOR_FAIL, hint, "perf_event_open: %s", strerror(-error));
}

void doctor_check_kernel_mode(struct doctor_finding *finding)
{
	int error = probe_clock(PERF_PROBE_SELF, PERF_PROBE_USER_AND_KERNEL);

	if (!error)
		doctor_set(finding, DOCTOR_OK, NULL, "kernel code is also sampled");
	else
		doctor_set(finding, DOCTOR_NOTE, "sudo sysctl kernel.perf_event_paranoid=1",
			   "only code in user space is sampled (%s)", strerror(-error));
}

void doctor_check_system(struct doctor_finding *finding)
{
	char hint[PERF_HINT_BYTES];
	int error = probe_clock(PERF_PROBE_SYSTEM, PERF_PROBE_USER_AND_KERNEL);

	if (!error) {
		doctor_set(finding, DOCTOR_OK, NULL,
			   "this user can profile the whole machine (-s)");
		return;
	}
	perf_open_hint(error, PERF_HINT_SYSTEM, !geteuid(), hint, sizeof(hint));
	doctor_set(finding, DOCTOR_NOTE, hint,
		   "this user can profile only their own processes (%s)", strerror(-error));
}

void doctor_check_counters(struct doctor_finding *finding)
{
	if (perf_probe_has_cycles())
		doctor_set(finding, DOCTOR_OK, NULL, "the processor counts cycles");
	else
		doctor_set(finding, DOCTOR_NOTE, NULL,
			   "cycles are not available (a virtual machine?): cpu-clock is used "
			   "instead; kernel code with interrupts off is not sampled");
}

void doctor_check_rings(struct doctor_finding *finding)
{
	char hint[PERF_HINT_BYTES];
	struct perf_hint_machine machine;
	int error = perf_probe_rings(SAMPLE_PAGES, SIDE_PAGES);

	perf_hint_machine_read(&machine);
	if (!error) {
		doctor_set(finding, DOCTOR_OK, NULL,
			   "rings of %d and %d pages on %u CPUs fit (limits: %ld KB per CPU, %ld "
			   "KB per process)",
			   SAMPLE_PAGES, SIDE_PAGES, machine.nr_cpus, machine.mlock_kb,
			   machine.memlock_kb);
		return;
	}
	perf_mmap_hint_on(&machine, error, SAMPLE_PAGES + SIDE_PAGES + 1, hint, sizeof(hint));
	doctor_set(finding, DOCTOR_NOTE, hint, "cannot map rings of %d and %d pages: %s",
		   SAMPLE_PAGES, SIDE_PAGES, strerror(-error));
}

/*
 * The profiler needs a descriptor for each event and CPU if it profiles the machine. If it profiles
 * processes, it needs a descriptor for each event, CPU and thread.
 */
void doctor_check_open_files(struct doctor_finding *finding)
{
	struct rlimit limit = {0, 0};
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	rlim_t need = 64 + 4 * (rlim_t)(nr_cpus > 0 ? nr_cpus : 1);

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max >= need)
		doctor_set(finding, DOCTOR_OK, NULL, "%llu for %ld CPUs",
			   (unsigned long long)limit.rlim_max, nr_cpus);
	else
		doctor_set(finding, DOCTOR_NOTE, "ulimit -n 65536", "%llu are too few for %ld CPUs",
			   (unsigned long long)limit.rlim_max, nr_cpus);
}

#if defined(__x86_64__) || defined(__aarch64__)
#define HAS_UNWIND_TABLES true
#else
#define HAS_UNWIND_TABLES false
#endif

/*
 * To walk a stack by unwind tables, the daemon needs a copy of a part of the stack. The kernel
 * makes this copy with each sample.
 */
void doctor_check_frame_pointers(struct doctor_finding *finding)
{
	if (HAS_UNWIND_TABLES)
		doctor_set(finding, DOCTOR_OK, NULL,
			   "call chains (-g) follow the unwind tables of binaries and need no "
			   "frame pointers (the kernel module and --unwind=fp follow frame "
			   "pointers)");
	else
		doctor_set(finding, DOCTOR_NOTE, "compile with -fno-omit-frame-pointer",
			   "call chains (-g) follow frame pointers, which most compilers omit");
}
