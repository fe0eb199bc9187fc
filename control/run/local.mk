# SPDX-License-Identifier: GPL-2.0-or-later
control_libcontrol_a_SOURCES += \
	control/run/command.c control/run/command.h \
	control/run/operf_options.c control/run/operf_options.h \
	control/run/report_command.c control/run/report_command.h

test_programs += \
	tests/unit/control/run/test_command \
	tests/unit/control/run/test_operf_options \
	tests/unit/control/run/test_report_command
