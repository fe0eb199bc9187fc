# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/image/image.c daemon/image/image.h \
	daemon/image/image_alias.c daemon/image/image_alias.h \
	daemon/image/image_code.c daemon/image/image_code.h \
	daemon/image/image_keep.c daemon/image/image_keep.h \
	daemon/image/image_keeper.c daemon/image/image_keeper.h \
	daemon/image/image_open.c daemon/image/image_open.h \
	daemon/image/record_writer.c daemon/image/record_writer.h \
	daemon/image/region.c daemon/image/region.h \
	daemon/image/space.c daemon/image/space.h \
	daemon/image/table_folder.c daemon/image/table_folder.h \
	daemon/image/vdso.c daemon/image/vdso.h

test_programs += \
	tests/unit/daemon/image/test_image \
	tests/unit/daemon/image/test_image_alias \
	tests/unit/daemon/image/test_image_code \
	tests/unit/daemon/image/test_image_keep \
	tests/unit/daemon/image/test_space \
	tests/unit/daemon/image/test_table_folder
tests_unit_daemon_image_test_space_LDFLAGS = $(failing_calls_ldflags)
tests_unit_daemon_image_test_table_folder_LDFLAGS = $(failing_calls_ldflags)
