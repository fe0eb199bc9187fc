# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/lines/dwarf_abbrev.c pp/lines/dwarf_abbrev.h \
	pp/lines/dwarf_file.c pp/lines/dwarf_file.h \
	pp/lines/dwarf_files.c pp/lines/dwarf_files.h \
	pp/lines/dwarf_lines.c pp/lines/dwarf_lines.h \
	pp/lines/dwarf_ranges.c \
	pp/lines/dwarf_split.c pp/lines/dwarf_split.h \
	pp/lines/dwarf_unit.c pp/lines/dwarf_unit.h \
	pp/lines/line_builder.c pp/lines/line_builder.h \
	pp/lines/line_reader.c pp/lines/line_reader.h \
	pp/lines/line_sweep.c \
	pp/lines/line_table.c pp/lines/line_table.h \
	pp/lines/line_walk.c pp/lines/line_walk.h \
	pp/lines/line_wire.c pp/lines/line_wire.h

test_programs += \
	tests/unit/pp/lines/test_dwarf_unit \
	tests/unit/pp/lines/test_line_builder \
	tests/unit/pp/lines/test_line_fault \
	tests/unit/pp/lines/test_line_table
tests_unit_pp_lines_test_line_fault_LDFLAGS = $(failing_calls_ldflags) \
	-Wl,--wrap=file_pread_all
