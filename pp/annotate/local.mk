# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/annotate/annotate_options.c pp/annotate/annotate_options.h \
	pp/annotate/annotated_mixed.c pp/annotate/annotated_mixed.h \
	pp/annotate/annotated_output.c pp/annotate/annotated_output.h \
	pp/annotate/annotated_text.c pp/annotate/annotated_text.h \
	pp/annotate/annotation.c pp/annotate/annotation.h pp/annotate/annotation_internal.h \
	pp/annotate/annotation_lines.c \
	pp/annotate/annotation_sums.c pp/annotate/annotation_sums.h \
	pp/annotate/format_annotated.h \
	pp/annotate/format_assembly.c \
	pp/annotate/format_source.c \
	pp/annotate/source_file.c pp/annotate/source_file.h \
	pp/annotate/source_function.c pp/annotate/source_function.h

test_programs += \
	tests/unit/pp/annotate/test_annotate_options \
	tests/unit/pp/annotate/test_annotation \
	tests/unit/pp/annotate/test_annotation_fault \
	tests/unit/pp/annotate/test_format_assembly \
	tests/unit/pp/annotate/test_format_source \
	tests/unit/pp/annotate/test_source_file \
	tests/unit/pp/annotate/test_source_function
tests_unit_pp_annotate_test_annotation_SOURCES = \
	tests/unit/pp/annotate/test_annotation.c $(fake_symbols)
tests_unit_pp_annotate_test_annotation_fault_SOURCES = \
	tests/unit/pp/annotate/test_annotation_fault.c $(fake_symbols)
tests_unit_pp_annotate_test_annotation_fault_LDFLAGS = $(report_fault_ldflags)
tests_unit_pp_annotate_test_format_assembly_SOURCES = \
	tests/unit/pp/annotate/test_format_assembly.c $(fake_lines)
tests_unit_pp_annotate_test_format_assembly_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=memfd_create,--wrap=pipe2,--wrap=fork
tests_unit_pp_annotate_test_format_source_SOURCES = \
	tests/unit/pp/annotate/test_format_source.c $(fake_symbols)
