# SPDX-License-Identifier: GPL-2.0-or-later
control_libcontrol_a_SOURCES += \
	control/base/option.c control/base/option.h \
	control/base/tool_path.c control/base/tool_path.h

test_programs += \
	tests/unit/control/base/test_tool_path
