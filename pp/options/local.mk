# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/options/select_options.c pp/options/select_options.h \
	pp/options/tool_options.c pp/options/tool_options.h

test_programs += \
	tests/unit/pp/options/test_tool_options
