# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/places/places.c daemon/places/places.h \
	daemon/places/proc_scan.c daemon/places/proc_scan.h \
	daemon/places/task.c daemon/places/task.h

test_programs += \
	tests/unit/daemon/places/test_task
