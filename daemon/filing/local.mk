# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/filing/attribution.c daemon/filing/attribution.h \
	daemon/filing/code_keys.c daemon/filing/code_keys.h \
	daemon/filing/dead_files.c daemon/filing/dead_files.h \
	daemon/filing/off_cpu.c daemon/filing/off_cpu.h \
	daemon/filing/placement.c daemon/filing/placement.h \
	daemon/filing/recent.c daemon/filing/recent.h \
	daemon/filing/recent_keys.c daemon/filing/recent_keys.h \
	daemon/filing/recent_slice.c daemon/filing/recent_slice.h \
	daemon/filing/recount.c daemon/filing/recount.h \
	daemon/filing/sample_cache.c daemon/filing/sample_cache.h \
	daemon/filing/sample_cache_room.c \
	daemon/filing/sample_failures.c daemon/filing/sample_failures.h \
	daemon/filing/sample_tree.c daemon/filing/sample_tree.h \
	daemon/filing/stack_keep.c daemon/filing/stack_keep.h \
	daemon/filing/stack_memo.c daemon/filing/stack_memo.h

test_programs += \
	tests/unit/daemon/filing/test_attribution \
	tests/unit/daemon/filing/test_code_keys \
	tests/unit/daemon/filing/test_dead_files \
	tests/unit/daemon/filing/test_off_cpu \
	tests/unit/daemon/filing/test_placement \
	tests/unit/daemon/filing/test_recent \
	tests/unit/daemon/filing/test_recent_slice \
	tests/unit/daemon/filing/test_sample_cache \
	tests/unit/daemon/filing/test_stack_keep \
	tests/unit/daemon/filing/test_stack_memo
tests_unit_daemon_filing_test_stack_keep_LDFLAGS = $(failing_asprintf_ldflags)
