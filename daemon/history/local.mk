# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/history/history.c daemon/history/history.h daemon/history/history_state.h \
	daemon/history/history_budget.c daemon/history/history_budget.h \
	daemon/history/history_counts.c daemon/history/history_counts.h \
	daemon/history/history_du.c daemon/history/history_du.h \
	daemon/history/history_epoch.c daemon/history/history_epoch.h \
	daemon/history/history_job.c daemon/history/history_job.h \
	daemon/history/history_levels.c daemon/history/history_levels.h \
	daemon/history/history_reserve.c daemon/history/history_reserve.h \
	daemon/history/history_slices.c daemon/history/history_slices.h \
	daemon/history/history_work.c daemon/history/history_work.h \
	daemon/history/leftover.c daemon/history/leftover.h \
	daemon/history/live_slice.c daemon/history/live_slice.h \
	daemon/history/stretch.c daemon/history/stretch.h

test_programs += \
	tests/unit/daemon/history/test_history \
	tests/unit/daemon/history/test_history_budget \
	tests/unit/daemon/history/test_history_disk \
	tests/unit/daemon/history/test_history_disk_stacks \
	tests/unit/daemon/history/test_history_kill \
	tests/unit/daemon/history/test_history_kills \
	tests/unit/daemon/history/test_history_levels \
	tests/unit/daemon/history/test_history_report \
	tests/unit/daemon/history/test_history_slices \
	tests/unit/daemon/history/test_history_soak \
	tests/unit/daemon/history/test_history_stacks \
	tests/unit/daemon/history/test_stretch
# These tests run with samples that have call chains of this depth.
deep_chains_cppflags = $(AM_CPPFLAGS) -DFAKE_CHAIN_DEPTH=16
fake_history = tests/fixture/fake_history.c tests/fixture/fake_history.h
tests_unit_daemon_history_test_history_budget_LDFLAGS = $(failing_calls_ldflags)
tests_unit_daemon_history_test_history_disk_stacks_SOURCES = \
	tests/unit/daemon/history/test_history_disk.c $(fake_history)
tests_unit_daemon_history_test_history_disk_stacks_CPPFLAGS = $(deep_chains_cppflags)
tests_unit_daemon_history_test_history_kill_SOURCES = \
	tests/unit/daemon/history/test_history_kill.c $(fake_history)
tests_unit_daemon_history_test_history_kill_CPPFLAGS = $(deep_chains_cppflags)
tests_unit_daemon_history_test_history_kills_LDADD = $(sdb_faults_libs)
tests_unit_daemon_history_test_history_report_SOURCES = \
	tests/unit/daemon/history/test_history_report.c $(fake_symbols)
tests_unit_daemon_history_test_history_slices_LDFLAGS = $(failing_asprintf_ldflags)
