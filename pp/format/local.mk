# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/format/coverage.c pp/format/coverage.h \
	pp/format/flat_lines.c pp/format/flat_lines.h \
	pp/format/format_callgraph.c \
	pp/format/format_callgrind.c \
	pp/format/format_calls.h \
	pp/format/format_columns.c pp/format/format_columns.h \
	pp/format/format_document.h \
	pp/format/format_flat.c \
	pp/format/format_folded.c \
	pp/format/format_json.c \
	pp/format/format_pprof.c \
	pp/format/format_rows.h \
	pp/format/format_stacks.c \
	pp/format/format_symbols.c \
	pp/format/format_terminal.c pp/format/format_terminal.h \
	pp/format/format_text.c pp/format/format_text.h \
	pp/format/format_xml.c \
	pp/format/pprof_code.c pp/format/pprof_code.h \
	pp/format/pprof_writer.c pp/format/pprof_writer.h \
	pp/format/row_groups.c pp/format/row_groups.h \
	pp/format/symbol_lines.c pp/format/symbol_lines.h \
	pp/format/terminal_table.c pp/format/terminal_table.h \
	pp/format/text_line.c pp/format/text_line.h

test_programs += \
	tests/unit/pp/format/test_call_fault \
	tests/unit/pp/format/test_call_formats \
	tests/unit/pp/format/test_coverage \
	tests/unit/pp/format/test_format_calls \
	tests/unit/pp/format/test_format_diff \
	tests/unit/pp/format/test_format_document \
	tests/unit/pp/format/test_format_flat \
	tests/unit/pp/format/test_format_stacks \
	tests/unit/pp/format/test_format_symbols \
	tests/unit/pp/format/test_format_terminal \
	tests/unit/pp/format/test_format_text
tests_unit_pp_format_test_call_fault_SOURCES = \
	tests/unit/pp/format/test_call_fault.c $(fake_symbols)
tests_unit_pp_format_test_call_fault_LDFLAGS = $(failing_calls_ldflags)
tests_unit_pp_format_test_call_formats_SOURCES = \
	tests/unit/pp/format/test_call_formats.c $(fake_symbols)
tests_unit_pp_format_test_coverage_SOURCES = tests/unit/pp/format/test_coverage.c $(fake_symbols)
tests_unit_pp_format_test_format_calls_SOURCES = \
	tests/unit/pp/format/test_format_calls.c $(fake_symbols)
tests_unit_pp_format_test_format_diff_SOURCES = \
	tests/unit/pp/format/test_format_diff.c $(fake_symbols)
tests_unit_pp_format_test_format_document_SOURCES = \
	tests/unit/pp/format/test_format_document.c $(fake_symbols)
tests_unit_pp_format_test_format_flat_SOURCES = \
	tests/unit/pp/format/test_format_flat.c $(fake_symbols)
tests_unit_pp_format_test_format_stacks_SOURCES = \
	tests/unit/pp/format/test_format_stacks.c $(fake_symbols)
tests_unit_pp_format_test_format_symbols_SOURCES = \
	tests/unit/pp/format/test_format_symbols.c $(fake_symbols)
tests_unit_pp_format_test_format_terminal_SOURCES = \
	tests/unit/pp/format/test_format_terminal.c $(fake_symbols)
tests_unit_pp_format_test_format_text_SOURCES = \
	tests/unit/pp/format/test_format_text.c $(fake_symbols)
