# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/command/control_message.c daemon/command/control_message.h \
	daemon/command/control_server.c daemon/command/control_server.h \
	daemon/command/parent.c daemon/command/parent.h \
	daemon/command/ready.c daemon/command/ready.h

test_programs += \
	tests/unit/daemon/command/test_control_message \
	tests/unit/daemon/command/test_control_server \
	tests/unit/daemon/command/test_parent \
	tests/unit/daemon/command/test_ready
