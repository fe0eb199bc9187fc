# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/jit/code_file.c daemon/jit/code_file.h \
	daemon/jit/code_map.c daemon/jit/code_map.h \
	daemon/jit/code_pool.c daemon/jit/code_pool.h \
	daemon/jit/code_space.c daemon/jit/code_space.h \
	daemon/jit/jitdump.c daemon/jit/jitdump.h \
	daemon/jit/perf_map.c daemon/jit/perf_map.h

test_programs += \
	tests/unit/daemon/jit/test_code_file \
	tests/unit/daemon/jit/test_code_map \
	tests/unit/daemon/jit/test_code_space \
	tests/unit/daemon/jit/test_jitdump \
	tests/unit/daemon/jit/test_perf_map
tests_unit_daemon_jit_test_code_file_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime
