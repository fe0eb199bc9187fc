# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/report/report_calls.c pp/report/report_calls.h \
	pp/report/report_notes.c pp/report/report_notes.h \
	pp/report/report_options.c pp/report/report_options.h

test_programs += \
	tests/unit/pp/report/test_report_calls \
	tests/unit/pp/report/test_report_fault \
	tests/unit/pp/report/test_report_notes \
	tests/unit/pp/report/test_report_options
tests_unit_pp_report_test_report_calls_SOURCES = \
	tests/unit/pp/report/test_report_calls.c $(fake_symbols)
tests_unit_pp_report_test_report_calls_LDFLAGS = $(failing_calls_ldflags)
tests_unit_pp_report_test_report_fault_SOURCES = \
	tests/unit/pp/report/test_report_fault.c $(fake_symbols)
tests_unit_pp_report_test_report_fault_LDFLAGS = $(report_fault_ldflags)
tests_unit_pp_report_test_report_notes_SOURCES = \
	tests/unit/pp/report/test_report_notes.c $(fake_symbols)
tests_unit_pp_report_test_report_notes_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=open_memstream
