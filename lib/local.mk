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
	tests/unit/lib/test_buildid \
	tests/unit/lib/test_cgroup_name \
	tests/unit/lib/test_confine \
	tests/unit/lib/test_diag \
	tests/unit/lib/test_elf_skeleton \
	tests/unit/lib/test_file \
	tests/unit/lib/test_key_value \
	tests/unit/lib/test_log \
	tests/unit/lib/test_log_limit \
	tests/unit/lib/test_number \
	tests/unit/lib/test_percent \
	tests/unit/lib/test_perf_hint \
	tests/unit/lib/test_progress \
	tests/unit/lib/test_stop_signal \
	tests/unit/lib/test_time_range
check_PROGRAMS += $(lib_tests)
TESTS += $(lib_tests)
tests_unit_lib_test_buildid_SOURCES = tests/unit/lib/test_buildid.c
tests_unit_lib_test_buildid_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_buildid_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_cgroup_name_SOURCES = tests/unit/lib/test_cgroup_name.c
tests_unit_lib_test_cgroup_name_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_cgroup_name_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_confine_SOURCES = tests/unit/lib/test_confine.c
tests_unit_lib_test_confine_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_confine_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_diag_SOURCES = tests/unit/lib/test_diag.c
tests_unit_lib_test_diag_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_diag_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_elf_skeleton_SOURCES = tests/unit/lib/test_elf_skeleton.c tests/fixture/built_elf.c tests/fixture/built_elf.h
tests_unit_lib_test_elf_skeleton_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_elf_skeleton_LDADD = $(symbol_test_libs)
tests_unit_lib_test_file_SOURCES = tests/unit/lib/test_file.c
tests_unit_lib_test_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_file_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_key_value_SOURCES = tests/unit/lib/test_key_value.c
tests_unit_lib_test_key_value_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_key_value_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_log_SOURCES = tests/unit/lib/test_log.c
tests_unit_lib_test_log_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_log_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_log_limit_SOURCES = tests/unit/lib/test_log_limit.c
tests_unit_lib_test_log_limit_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_log_limit_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_number_SOURCES = tests/unit/lib/test_number.c
tests_unit_lib_test_number_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_number_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_percent_SOURCES = tests/unit/lib/test_percent.c
tests_unit_lib_test_percent_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_percent_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_perf_hint_SOURCES = tests/unit/lib/test_perf_hint.c
tests_unit_lib_test_perf_hint_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_perf_hint_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_progress_SOURCES = tests/unit/lib/test_progress.c
tests_unit_lib_test_progress_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_progress_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_stop_signal_SOURCES = tests/unit/lib/test_stop_signal.c
tests_unit_lib_test_stop_signal_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_stop_signal_LDADD = lib/libbase.a $(TEST_LIBS)
tests_unit_lib_test_time_range_SOURCES = tests/unit/lib/test_time_range.c
tests_unit_lib_test_time_range_CFLAGS = $(TEST_CFLAGS)
tests_unit_lib_test_time_range_LDADD = lib/libbase.a $(TEST_LIBS)
endif
