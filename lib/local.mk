# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += lib/libbase.a
lib_libbase_a_CFLAGS = $(CONVERSION_CFLAGS)
lib_libbase_a_SOURCES = \
	lib/buildid.c lib/buildid.h \
	lib/cgroup_name.c lib/cgroup_name.h \
	lib/confine.c lib/confine.h \
	lib/diag.c lib/diag.h \
	lib/elf_skeleton.c lib/elf_skeleton.h \
	lib/file.c lib/file.h \
	lib/key_value.c lib/key_value.h \
	lib/log.c lib/log.h \
	lib/log_limit.c lib/log_limit.h \
	lib/log_place.c lib/log_place.h \
	lib/number.c lib/number.h \
	lib/percent.c lib/percent.h \
	lib/perf_hint.c lib/perf_hint.h \
	lib/progress.c lib/progress.h \
	lib/stop_signal.c lib/stop_signal.h \
	lib/time_range.c lib/time_range.h

if REPORTS
lib_tests = \
	tests/unit/test_buildid \
	tests/unit/test_cgroup_name \
	tests/unit/test_confine \
	tests/unit/test_diag \
	tests/unit/test_elf_skeleton \
	tests/unit/test_file \
	tests/unit/test_key_value \
	tests/unit/test_log \
	tests/unit/test_log_limit \
	tests/unit/test_number \
	tests/unit/test_percent \
	tests/unit/test_perf_hint \
	tests/unit/test_progress \
	tests/unit/test_stop_signal \
	tests/unit/test_time_range
check_PROGRAMS += $(lib_tests)
TESTS += $(lib_tests)
tests_unit_test_buildid_SOURCES = tests/unit/test_buildid.c
tests_unit_test_buildid_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_buildid_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_cgroup_name_SOURCES = tests/unit/test_cgroup_name.c
tests_unit_test_cgroup_name_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_cgroup_name_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_confine_SOURCES = tests/unit/test_confine.c
tests_unit_test_confine_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_confine_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_diag_SOURCES = tests/unit/test_diag.c
tests_unit_test_diag_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_diag_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_elf_skeleton_SOURCES = tests/unit/test_elf_skeleton.c tests/unit/built_elf.c tests/unit/built_elf.h
tests_unit_test_elf_skeleton_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_elf_skeleton_LDADD = $(symbol_test_libs)
tests_unit_test_file_SOURCES = tests/unit/test_file.c
tests_unit_test_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_file_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_key_value_SOURCES = tests/unit/test_key_value.c
tests_unit_test_key_value_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_key_value_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_log_SOURCES = tests/unit/test_log.c
tests_unit_test_log_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_log_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_log_limit_SOURCES = tests/unit/test_log_limit.c
tests_unit_test_log_limit_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_log_limit_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_number_SOURCES = tests/unit/test_number.c
tests_unit_test_number_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_number_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_percent_SOURCES = tests/unit/test_percent.c
tests_unit_test_percent_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_percent_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_perf_hint_SOURCES = tests/unit/test_perf_hint.c
tests_unit_test_perf_hint_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_perf_hint_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_progress_SOURCES = tests/unit/test_progress.c
tests_unit_test_progress_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_progress_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_stop_signal_SOURCES = tests/unit/test_stop_signal.c
tests_unit_test_stop_signal_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_stop_signal_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_test_time_range_SOURCES = tests/unit/test_time_range.c
tests_unit_test_time_range_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_time_range_LDADD = lib/libbase.a $(TEST_LIBS)
endif
