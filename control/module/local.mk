# SPDX-License-Identifier: GPL-2.0-or-later
control_libcontrol_a_SOURCES += \
	control/module/module.c control/module/module.h \
	control/module/module_fs.c control/module/module_fs.h \
	control/module/module_tool.c control/module/module_tool.h

test_programs += \
	tests/unit/control/module/test_module \
	tests/unit/control/module/test_module_fs \
	tests/unit/control/module/test_module_tool
