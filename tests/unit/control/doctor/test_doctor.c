// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/doctor/doctor.h"

#include "lib/confine.h"
#include "lib/folder.h"
#include "lib/seccomp_filter.h"
#include "tests/fixture/control_test.h"

#include <sys/stat.h>
#include <unistd.h>

static struct doctor_finding finding;

static void assert_found(enum doctor_level level, const char *found, const char *remedy)
{
	ck_assert_int_eq(finding.level, level);
	assert_has(finding.found, found);
	if (*remedy)
		assert_has(finding.remedy, remedy);
	else
		ck_assert_str_eq(finding.remedy, "");
}

START_TEST(levels_are_explained)
{
	test_put("proc/sys/kernel/perf_event_paranoid", "2\n");
	doctor_check_level(test_dir, &finding);
	assert_found(DOCTOR_OK, "in user space", "");
	test_put("proc/sys/kernel/perf_event_paranoid", "-1\n");
	doctor_check_level(test_dir, &finding);
	assert_found(DOCTOR_OK, "everything", "");
	test_put("proc/sys/kernel/perf_event_paranoid", "4\n");
	doctor_check_level(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "only root", "sudo sysctl kernel.perf_event_paranoid=2");
	test_put("proc/sys/kernel/perf_event_paranoid", "what");
	doctor_check_level(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "does not exist", "");
}
END_TEST

START_TEST(a_system_call_filter_is_seen)
{
	test_put("proc/self/status", "Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n");
	doctor_check_filter(test_dir, &finding);
	assert_found(DOCTOR_OK, "none", "");
	test_put("proc/self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n");
	doctor_check_filter(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "--cap-add PERFMON", "");
}
END_TEST

START_TEST(missing_confinement_is_noted)
{
	char folder[PATH_MAX];

	doctor_check_confinement(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "cannot restrict its own system calls", "");
	test_put("proc/self/status", "Name:\tx\nNoNewPrivs:\t0\n");
	doctor_check_confinement(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "cannot restrict its own system calls", "");
	if (!SECCOMP_SUPPORTED)
		return;
	test_put("proc/self/status", "Name:\tx\nSeccomp:\t0\n");
	doctor_check_confinement(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "as the user nobody", "useradd --system");
	test_put("etc/passwd",
		 "root:x:0:0::/root:/bin/sh\n" CONFINE_USER ":x:0:900::/:/bin/false\n");
	doctor_check_confinement(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "as the user nobody", "useradd --system");
	test_put("etc/passwd",
		 "root:x:0:0::/root:/bin/sh\n" CONFINE_USER ":x:901:0::/:/bin/false\n");
	doctor_check_confinement(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "as the user nobody", "useradd --system");
	test_put("etc/passwd",
		 "other:x:1:1::/:/bin/sh\n" CONFINE_USER ":x:901:900::/:/bin/false\n");
	doctor_check_confinement(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "runs as root", "nologin " FOLDER_USER);
	test_put("etc/passwd",
		 FOLDER_USER ":x:902:902::/:/bin/sh\n" CONFINE_USER ":x:901:900::/:/bin/false\n");
	doctor_check_confinement(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "can log in", "");
	test_put("etc/passwd", FOLDER_USER ":x:902:902::/:/bin/false\n" CONFINE_USER
					   ":x:901:900::/:/bin/false\n");
	doctor_check_confinement(test_dir, &finding);
	assert_found(DOCTOR_OK, "as the user " CONFINE_USER, "");
	test_put("var/lib/oprofile/lock", "");
	doctor_check_confinement(test_dir, &finding);
	if (geteuid()) {
		assert_found(DOCTOR_NOTE, "refuses to run", "move the folder away");
		return;
	}
	assert_found(DOCTOR_NOTE, "belongs to root", "chown -hR " FOLDER_USER ":");
	(void)snprintf(folder, sizeof(folder), "%s/var/lib/oprofile", test_dir);
	ck_assert_int_eq(chown(folder, 902, 0), 0);
	doctor_check_confinement(test_dir, &finding);
	assert_found(DOCTOR_OK, "runs as " FOLDER_USER, "");
	ck_assert_int_eq(chmod(folder, 0770), 0);
	doctor_check_confinement(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "refuses to run", "move the folder away");
	ck_assert_int_eq(chown(folder, 0, 0), 0);
}
END_TEST

START_TEST(a_low_sample_rate_is_noted)
{
	test_put("proc/sys/kernel/perf_event_max_sample_rate", "500\n");
	doctor_check_rate(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "at most 500", "kernel.perf_event_max_sample_rate=");
	test_put("proc/sys/kernel/perf_event_max_sample_rate", "100000\n");
	doctor_check_rate(test_dir, &finding);
	assert_found(DOCTOR_OK, "100000", "");
}
END_TEST

START_TEST(hidden_kernel_symbols_are_told_from_none)
{
	doctor_check_kernel_symbols(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "shows no symbols", "");
	test_put("proc/kallsyms", "0000000000000000 T _text\n0000000000000000 T x\n");
	doctor_check_kernel_symbols(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "hidden from this user", "perf_event_paranoid=1");
	test_put("proc/sys/kernel/kptr_restrict", "2\n");
	doctor_check_kernel_symbols(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "hidden", "sudo sysctl kernel.kptr_restrict=0");
	/* Per-CPU symbols may really have address 0. */
	test_put("proc/kallsyms", "0000000000000000 A fixed\nffffffff81000000 T _text\n");
	doctor_check_kernel_symbols(test_dir, &finding);
	assert_found(DOCTOR_OK, "visible", "");
}
END_TEST

START_TEST(debug_info_is_looked_for_where_it_is_kept)
{
	ck_assert_int_eq(unsetenv("DEBUGINFOD_URLS"), 0);
	doctor_check_debug_info(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "none", "debuginfod.elfutils.org");
	test_put("etc/os-release", "NAME=x\nID=debian\nID_LIKE=y\n");
	doctor_check_debug_info(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "none", "debuginfod.debian.net");
	test_put("etc/os-release", "ID=\"fedora\"\nID_LIKE=y\n");
	doctor_check_debug_info(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "none", "debuginfod.fedoraproject.org");
	test_put("etc/os-release", "NAME=x\nID='arch'");
	doctor_check_debug_info(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "none", "debuginfod.archlinux.org");
	test_put("etc/os-release", "ID_LIKE=debian\nID=debian-like\n");
	doctor_check_debug_info(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "none", "debuginfod.elfutils.org");
	test_put("usr/lib/debug/.build-id/ab/cd.debug", "");
	doctor_check_debug_info(test_dir, &finding);
	assert_found(DOCTOR_OK, "installed", "");
	ck_assert_int_eq(setenv("DEBUGINFOD_URLS", "https://here.example", 1), 0);
	doctor_check_debug_info(test_dir, &finding);
	assert_found(DOCTOR_OK, "https://here.example", "");
}
END_TEST

START_TEST(a_module_is_loaded_and_mounted_or_could_be_or_could_not)
{
	struct module_answer answer = {.works = true};

	doctor_judge_module(&answer, &finding);
	assert_found(DOCTOR_NOTE, "can be", "sudo opcontrol --init");
	module_answer_refuse(&answer, "apt-get install x", "no headers");
	doctor_judge_module(&answer, &finding);
	assert_found(DOCTOR_NOTE, "the module cannot be loaded: no headers", "apt-get install x");
	test_put("sys/module/oprof/refcnt", "0\n");
	doctor_check_module(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "not mounted", "sudo opcontrol --init");
	test_put("proc/self/mounts", "none /dev/oprofile oprofilefs rw 0 0\n");
	doctor_check_module(test_dir, &finding);
	assert_found(DOCTOR_OK, "/dev/oprofile", "");
}
END_TEST

START_TEST(types_and_tracing_are_found)
{
	doctor_check_btf(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "CONFIG_DEBUG_INFO_BTF", "");
	doctor_check_tracefs(test_dir, &finding);
	assert_found(DOCTOR_NOTE, "not mounted", "mount -t tracefs");
	test_put("sys/kernel/btf/vmlinux", "");
	test_put("sys/kernel/tracing/events/x", "");
	doctor_check_btf(test_dir, &finding);
	assert_found(DOCTOR_OK, "types", "");
	doctor_check_tracefs(test_dir, &finding);
	assert_found(DOCTOR_OK, "can be read", "");
}
END_TEST

START_TEST(the_whole_report_says_whether_profiling_works)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *stream = open_memstream(&text, &nr_bytes);
	bool works;

	ck_assert_ptr_nonnull(stream);
	works = doctor_run(stream);
	ck_assert_int_eq(fclose(stream), 0);
	assert_has(text, "own processes");
	assert_has(text, "locked memory");
	ck_assert(works == !strstr(text, "FAIL "));
	assert_has(text, works ? "Profiling works on this machine" : "Nothing can be profiled");
	free(text);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("doctor");

	tcase_add_checked_fixture(cases, test_dir_set_up, test_dir_tear_down);
	tcase_add_test(cases, levels_are_explained);
	tcase_add_test(cases, a_system_call_filter_is_seen);
	tcase_add_test(cases, missing_confinement_is_noted);
	tcase_add_test(cases, a_low_sample_rate_is_noted);
	tcase_add_test(cases, hidden_kernel_symbols_are_told_from_none);
	tcase_add_test(cases, debug_info_is_looked_for_where_it_is_kept);
	tcase_add_test(cases, a_module_is_loaded_and_mounted_or_could_be_or_could_not);
	tcase_add_test(cases, types_and_tracing_are_found);
	tcase_add_test(cases, the_whole_report_says_whether_profiling_works);
	return test_run(cases);
}
