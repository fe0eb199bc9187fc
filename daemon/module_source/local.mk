# SPDX-License-Identifier: GPL-2.0-or-later
# The source that reads the kernel module.
daemon_libdaemon_a_SOURCES += \
	daemon/module_source/kmod_buffer.c daemon/module_source/kmod_buffer.h \
	daemon/module_source/kmod_control.c daemon/module_source/kmod_control.h \
	daemon/module_source/kmod_images.c daemon/module_source/kmod_images.h \
	daemon/module_source/kmod_process.c daemon/module_source/kmod_process.h \
	daemon/module_source/kmod_sample.c \
	daemon/module_source/kmod_setup.c daemon/module_source/kmod_setup.h \
	daemon/module_source/kmod_source.c daemon/module_source/kmod_source.h \
	daemon/module_source/kmod_state.c daemon/module_source/kmod_state.h \
	daemon/module_source/kmod_state_internal.h \
	daemon/module_source/kmod_stats.c daemon/module_source/kmod_stats.h \
	daemon/module_source/kmod_switches.c daemon/module_source/kmod_switches.h

test_programs += \
	tests/unit/daemon/module_source/test_kmod_buffer \
	tests/unit/daemon/module_source/test_kmod_images \
	tests/unit/daemon/module_source/test_kmod_link \
	tests/unit/daemon/module_source/test_kmod_process \
	tests/unit/daemon/module_source/test_kmod_source \
	tests/unit/daemon/module_source/test_kmod_state \
	tests/unit/daemon/module_source/test_kmod_switches
tests_unit_daemon_module_source_test_kmod_buffer_LDFLAGS = $(failing_calls_ldflags)
tests_unit_daemon_module_source_test_kmod_images_LDFLAGS = $(failing_calls_ldflags)
tests_unit_daemon_module_source_test_kmod_source_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime
