# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += lib/libbase.a
lib_libbase_a_CFLAGS = $(CONVERSION_CFLAGS)
lib_libbase_a_SOURCES = \
	lib/array.c lib/array.h \
	lib/buildid.c lib/buildid.h \
	lib/cgroup_name.c lib/cgroup_name.h \
	lib/children.h \
	lib/clock.h \
	lib/confine.c lib/confine.h \
	lib/cursor.h \
	lib/deny_calls.c lib/deny_calls.h \
	lib/diag.c lib/diag.h \
	lib/elf_skeleton.c lib/elf_skeleton.h \
	lib/file.c lib/file.h \
	lib/folder.c lib/folder.h \
	lib/index_table.c lib/index_table.h \
	lib/key_value.c lib/key_value.h \
	lib/log.c lib/log.h \
	lib/log_limit.c lib/log_limit.h \
	lib/log_place.c lib/log_place.h \
	lib/number.c lib/number.h \
	lib/own_user.c lib/own_user.h \
	lib/percent.c lib/percent.h \
	lib/perf_hint.c lib/perf_hint.h \
	lib/progress.c lib/progress.h \
	lib/saturate.h \
	lib/seccomp_filter.h \
	lib/seconds.c lib/seconds.h \
	lib/stop_signal.c lib/stop_signal.h \
	lib/time_range.c lib/time_range.h \
	lib/utf8.c lib/utf8.h

test_programs += \
	tests/unit/lib/test_array \
	tests/unit/lib/test_buildid \
	tests/unit/lib/test_cgroup_name \
	tests/unit/lib/test_confine \
	tests/unit/lib/test_cursor \
	tests/unit/lib/test_deny_calls \
	tests/unit/lib/test_diag \
	tests/unit/lib/test_elf_skeleton \
	tests/unit/lib/test_file \
	tests/unit/lib/test_folder \
	tests/unit/lib/test_index_table \
	tests/unit/lib/test_key_value \
	tests/unit/lib/test_log \
	tests/unit/lib/test_log_limit \
	tests/unit/lib/test_number \
	tests/unit/lib/test_percent \
	tests/unit/lib/test_perf_hint \
	tests/unit/lib/test_progress \
	tests/unit/lib/test_seconds \
	tests/unit/lib/test_stop_signal \
	tests/unit/lib/test_time_range \
	tests/unit/lib/test_utf8
tests_unit_lib_test_array_LDFLAGS = $(failing_calls_ldflags)
