# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/session/cgroup_table.c daemon/session/cgroup_table.h \
	daemon/session/name_table.c daemon/session/name_table.h \
	daemon/session/run_info.c daemon/session/run_info.h \
	daemon/session/sample_key.h \
	daemon/session/separation.c daemon/session/separation.h \
	daemon/session/session.c daemon/session/session.h \
	daemon/session/stats.c daemon/session/stats.h

test_programs += \
	tests/unit/daemon/session/test_cgroup_table \
	tests/unit/daemon/session/test_name_table \
	tests/unit/daemon/session/test_run_info \
	tests/unit/daemon/session/test_separation \
	tests/unit/daemon/session/test_session \
	tests/unit/daemon/session/test_stats
tests_unit_daemon_session_test_name_table_LDFLAGS = $(failing_calls_ldflags)
