# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/kernel/kallsyms.c daemon/kernel/kallsyms.h \
	daemon/kernel/kernel_code.c daemon/kernel/kernel_code.h \
	daemon/kernel/kernel_functions.c daemon/kernel/kernel_functions.h \
	daemon/kernel/kernel_idle.c daemon/kernel/kernel_idle.h \
	daemon/kernel/kernel_load.c daemon/kernel/kernel_load.h \
	daemon/kernel/kernel_map.c daemon/kernel/kernel_map.h \
	daemon/kernel/kernel_ranges.c daemon/kernel/kernel_ranges.h \
	daemon/kernel/kernel_symbols.c daemon/kernel/kernel_symbols.h
EXTRA_DIST += doc/kernel-symbols.md

test_programs += \
	tests/unit/daemon/kernel/test_kernel_functions \
	tests/unit/daemon/kernel/test_kernel_map \
	tests/unit/daemon/kernel/test_kernel_ranges
