# SPDX-License-Identifier: GPL-2.0-or-later
control_libcontrol_a_SOURCES += \
	control/daemon/boot.c control/daemon/boot.h \
	control/daemon/daemon_start.c control/daemon/daemon_start.h \
	control/daemon/opcontrol_options.c control/daemon/opcontrol_options.h \
	control/daemon/sampling.c control/daemon/sampling.h \
	control/daemon/session_files.c control/daemon/session_files.h \
	control/daemon/session_owner.c control/daemon/session_owner.h \
	control/daemon/setup_file.c control/daemon/setup_file.h \
	control/daemon/setup_match.c control/daemon/setup_match.h \
	control/daemon/status_text.c control/daemon/status_text.h \
	control/daemon/watch.c control/daemon/watch.h

test_programs += \
	tests/unit/control/daemon/test_daemon_start \
	tests/unit/control/daemon/test_opcontrol_options \
	tests/unit/control/daemon/test_sampling \
	tests/unit/control/daemon/test_session_files \
	tests/unit/control/daemon/test_setup_file \
	tests/unit/control/daemon/test_setup_match \
	tests/unit/control/daemon/test_status_text
tests_unit_control_daemon_test_daemon_start_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime
tests_unit_control_daemon_test_session_files_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=flock
