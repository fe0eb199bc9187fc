# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/base/cells.c pp/base/cells.h \
	pp/base/display.c pp/base/display.h \
	pp/base/duration.c pp/base/duration.h \
	pp/base/gzip_writer.c pp/base/gzip_writer.h \
	pp/base/json_writer.c pp/base/json_writer.h \
	pp/base/protobuf.c pp/base/protobuf.h \
	pp/base/read_folder.c pp/base/read_folder.h \
	pp/base/strings.c pp/base/strings.h \
	pp/base/xml_writer.c pp/base/xml_writer.h

test_programs += \
	tests/unit/pp/base/test_cells \
	tests/unit/pp/base/test_display \
	tests/unit/pp/base/test_protobuf \
	tests/unit/pp/base/test_read_folder \
	tests/unit/pp/base/test_strings \
	tests/unit/pp/base/test_writers
