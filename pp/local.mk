# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += pp/libpp.a
pp_libpp_a_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS) $(POPT_CFLAGS)
pp_libpp_a_SOURCES =

# Reports: selection, containers, layouts.
pp_libpp_a_SOURCES += \
	pp/cgroup_shown.c pp/cgroup_shown.h \
	pp/classes.c pp/classes.h \
	pp/counters.c pp/counters.h \
	pp/balance.c pp/balance.h \
	pp/coverage.c pp/coverage.h \
	pp/format_columns.c pp/format_columns.h \
	pp/format_flat.c pp/format_rows.h \
	pp/format_symbols.c \
	pp/format_text.c pp/format_text.h \
	pp/index_table.c pp/index_table.h \
	pp/part_match.c pp/part_match.h \
	pp/part_reader.c pp/part_reader.h \
	pp/profile.c pp/profile.h \
	pp/profile_merge.c pp/profile_merge.h \
	pp/report_options.c pp/report_options.h \
	pp/rows_by.c pp/rows_by.h \
	pp/row_table.c pp/row_table.h \
	pp/selection.c pp/selection.h pp/selection_internal.h \
	pp/selection_error.c pp/selection_error.h \
	pp/selection_order.c pp/selection_share.c pp/selection_walk.c \
	pp/session_dir.c pp/session_dir.h \
	pp/share.c pp/share.h \
	pp/session_info.c pp/session_info.h \
	pp/session_parts.c pp/session_parts.h \
	pp/session_recent.c pp/session_recent.h \
	pp/spec.c pp/spec.h \
	pp/strings.c pp/strings.h

report_tests = \
	tests/unit/test_cgroup_shown \
	tests/unit/test_rows_by \
	tests/unit/test_classes \
	tests/unit/test_coverage \
	tests/unit/test_counters \
	tests/unit/test_format_diff \
	tests/unit/test_format_flat \
	tests/unit/test_format_symbols \
	tests/unit/test_format_text \
	tests/unit/test_history_report \
	tests/unit/test_index_table \
	tests/unit/test_opreport \
	tests/unit/test_profile \
	tests/unit/test_report_fault \
	tests/unit/test_report_options \
	tests/unit/test_selection \
	tests/unit/test_row_table \
	tests/unit/test_session_dir \
	tests/unit/test_session_info \
	tests/unit/test_session_parts \
	tests/unit/test_share \
	tests/unit/test_spec \
	tests/unit/test_strings
check_PROGRAMS += $(report_tests)
TESTS += $(report_tests)
report_test_libs = pp/libpp.a events/libevents.a libdb/libsdb.a lib/libbase.a $(TEST_LIBS) -lm
# Sessions made to order, and symbols that the test gives instead of pp/symbols.h's.
report_test_sources = \
	tests/unit/fake_symbols.c tests/unit/fake_symbols.h \
	tests/unit/make_profile.c tests/unit/make_profile.h \
	tests/unit/make_session.c tests/unit/make_session.h
tests_unit_test_classes_SOURCES = tests/unit/test_classes.c
tests_unit_test_classes_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_classes_LDADD = $(report_test_libs)
tests_unit_test_cgroup_shown_SOURCES = tests/unit/test_cgroup_shown.c
tests_unit_test_cgroup_shown_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_cgroup_shown_LDADD = $(report_test_libs)
tests_unit_test_rows_by_SOURCES = tests/unit/test_rows_by.c
tests_unit_test_rows_by_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_rows_by_LDADD = $(report_test_libs)
tests_unit_test_coverage_SOURCES = tests/unit/test_coverage.c $(report_test_sources)
tests_unit_test_coverage_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_coverage_LDADD = $(report_test_libs)
tests_unit_test_counters_SOURCES = tests/unit/test_counters.c
tests_unit_test_counters_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_counters_LDADD = $(report_test_libs)
tests_unit_test_format_diff_SOURCES = tests/unit/test_format_diff.c $(report_test_sources)
tests_unit_test_format_diff_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_format_diff_LDADD = $(report_test_libs)
tests_unit_test_history_report_SOURCES = tests/unit/test_history_report.c $(report_test_sources)
tests_unit_test_history_report_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_history_report_LDADD = $(report_test_libs)
tests_unit_test_index_table_SOURCES = tests/unit/test_index_table.c
tests_unit_test_index_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_index_table_LDADD = $(report_test_libs)
tests_unit_test_format_flat_SOURCES = tests/unit/test_format_flat.c $(report_test_sources)
tests_unit_test_format_flat_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_format_flat_LDADD = $(report_test_libs)
tests_unit_test_format_symbols_SOURCES = tests/unit/test_format_symbols.c $(report_test_sources)
tests_unit_test_format_symbols_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_format_symbols_LDADD = $(report_test_libs)
tests_unit_test_format_text_SOURCES = tests/unit/test_format_text.c $(report_test_sources)
tests_unit_test_format_text_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_format_text_LDADD = $(report_test_libs)
tests_unit_test_opreport_SOURCES = tests/unit/test_opreport.c \
	tests/unit/make_session.c tests/unit/make_session.h
tests_unit_test_opreport_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_opreport_LDADD = $(report_test_libs)
tests_unit_test_profile_SOURCES = tests/unit/test_profile.c $(report_test_sources)
tests_unit_test_profile_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_profile_LDADD = $(report_test_libs)
tests_unit_test_report_fault_SOURCES = tests/unit/test_report_fault.c $(report_test_sources)
tests_unit_test_report_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_report_fault_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc \
	-Wl,--wrap=reallocarray,--wrap=strdup
tests_unit_test_report_fault_LDADD = $(report_test_libs)
tests_unit_test_report_options_SOURCES = tests/unit/test_report_options.c
tests_unit_test_report_options_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_report_options_LDADD = $(report_test_libs) $(POPT_LIBS)
tests_unit_test_selection_SOURCES = tests/unit/test_selection.c $(report_test_sources)
tests_unit_test_selection_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_selection_LDADD = $(report_test_libs)
tests_unit_test_session_dir_SOURCES = tests/unit/test_session_dir.c
tests_unit_test_session_dir_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_session_dir_LDADD = $(report_test_libs)
tests_unit_test_session_info_SOURCES = tests/unit/test_session_info.c $(report_test_sources)
tests_unit_test_session_info_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_session_info_LDADD = $(report_test_libs)
tests_unit_test_row_table_SOURCES = tests/unit/test_row_table.c
tests_unit_test_row_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_row_table_LDADD = $(report_test_libs)
tests_unit_test_session_parts_SOURCES = tests/unit/test_session_parts.c \
	tests/unit/make_session.c tests/unit/make_session.h
tests_unit_test_session_parts_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_session_parts_LDADD = $(report_test_libs)
tests_unit_test_share_SOURCES = tests/unit/test_share.c
tests_unit_test_share_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_share_LDADD = $(report_test_libs)
tests_unit_test_spec_SOURCES = tests/unit/test_spec.c
tests_unit_test_spec_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_spec_LDADD = $(report_test_libs)
tests_unit_test_strings_SOURCES = tests/unit/test_strings.c
tests_unit_test_strings_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_strings_LDADD = $(report_test_libs)

# Symbols of binaries. Programs that contain them contain libbfd, and are GPL-3.0-or-later.
SYMBOLS_LIBS = $(BFD_LIBS) $(ELF_LIBS)
pp_libpp_a_SOURCES += \
	pp/code_names.c pp/code_names.h \
	pp/debug_file.c pp/debug_file.h \
	pp/demangle.c \
	pp/kernel_symbols.c pp/kernel_symbols.h \
	pp/symbol_cache.c pp/symbol_cache.h \
	pp/symbol_file.c pp/symbol_file.h \
	pp/symbol_helper.c pp/symbol_helper.h \
	pp/symbol_list.c pp/symbol_list.h \
	pp/symbol_plt.c pp/symbol_plt.h \
	pp/symbol_reader.c pp/symbol_reader.h \
	pp/symbol_wire.c pp/symbol_wire.h \
	pp/symbols.c pp/symbols.h

symbol_tests = \
	tests/unit/test_code_names \
	tests/unit/test_demangle \
	tests/unit/test_kernel_symbols \
	tests/unit/test_symbol_helper \
	tests/unit/test_symbol_list \
	tests/unit/test_symbol_reader \
	tests/unit/test_symbol_cache \
	tests/unit/test_symbol_wire \
	tests/unit/test_symbols
check_PROGRAMS += $(symbol_tests)
TESTS += $(symbol_tests)
symbol_test_libs = pp/libpp.a libdb/libsdb.a lib/libbase.a $(SYMBOLS_LIBS) $(TEST_LIBS)
tests_unit_test_code_names_SOURCES = tests/unit/test_code_names.c
tests_unit_test_code_names_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_code_names_LDADD = $(symbol_test_libs)
tests_unit_test_demangle_SOURCES = tests/unit/test_demangle.c
tests_unit_test_demangle_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_demangle_LDADD = $(symbol_test_libs)
tests_unit_test_symbol_helper_SOURCES = tests/unit/test_symbol_helper.c
tests_unit_test_symbol_helper_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_symbol_helper_LDADD = $(symbol_test_libs)
tests_unit_test_symbol_list_SOURCES = tests/unit/test_symbol_list.c
tests_unit_test_symbol_list_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_symbol_list_LDADD = $(symbol_test_libs)
tests_unit_test_symbol_reader_SOURCES = tests/unit/test_symbol_reader.c tests/unit/built_elf.c tests/unit/built_elf.h
tests_unit_test_symbol_reader_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_symbol_reader_LDADD = $(symbol_test_libs)
tests_unit_test_symbol_cache_SOURCES = tests/unit/test_symbol_cache.c tests/unit/test_folder.c \
	tests/unit/test_folder.h
tests_unit_test_symbol_cache_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_symbol_cache_LDADD = $(symbol_test_libs)
tests_unit_test_symbol_wire_SOURCES = tests/unit/test_symbol_wire.c
tests_unit_test_symbol_wire_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_symbol_wire_LDADD = $(symbol_test_libs)
tests_unit_test_kernel_symbols_SOURCES = tests/unit/test_kernel_symbols.c
tests_unit_test_kernel_symbols_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_kernel_symbols_LDADD = $(symbol_test_libs)
tests_unit_test_symbols_SOURCES = tests/unit/test_symbols.c
tests_unit_test_symbols_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_symbols_LDADD = $(symbol_test_libs)

bin_PROGRAMS += opreport
dist_man_MANS += doc/man/opreport.1 doc/man/oprof-diff.1
opreport_SOURCES = pp/opreport.c
opreport_LDADD = pp/libpp.a events/libevents.a libdb/libsdb.a lib/libbase.a \
	$(SYMBOLS_LIBS) $(POPT_LIBS) -lm

# Verifying sample files.
bin_PROGRAMS += opcheck
dist_man_MANS += doc/man/opcheck.1
opcheck_SOURCES = pp/opcheck.c
opcheck_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
opcheck_LDADD = libdb/libsdb.a lib/libbase.a $(POPT_LIBS)
check_PROGRAMS += tests/unit/test_opcheck
TESTS += tests/unit/test_opcheck
tests_unit_test_opcheck_SOURCES = tests/unit/test_opcheck.c
tests_unit_test_opcheck_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_opcheck_LDADD = libdb/libsdbtest.a libdb/libsdb.a lib/libbase.a $(TEST_LIBS)

# oprof top: the live view.
pp_libpp_a_SOURCES += \
	pp/daemon_client.c pp/daemon_client.h \
	pp/top.c pp/top.h \
	pp/top_options.c pp/top_options.h \
	pp/top_rows.c pp/top_rows.h \
	pp/top_samples.c pp/top_samples.h \
	pp/top_symbols.c pp/top_symbols.h \
	pp/top_text.c pp/top_text.h
bin_PROGRAMS += optop
dist_man_MANS += doc/man/optop.1
optop_SOURCES = pp/optop.c pp/top_screen.c pp/top_screen.h
optop_CFLAGS = $(AM_CFLAGS) $(CURSES_CFLAGS) $(POPT_CFLAGS) -pthread
optop_LDADD = pp/libpp.a libdb/libsdb.a lib/libbase.a $(SYMBOLS_LIBS) $(POPT_LIBS) \
	$(CURSES_LIBS) -lm -lpthread

top_tests = tests/unit/test_daemon_client tests/unit/test_optop tests/unit/test_top
check_PROGRAMS += $(top_tests)
TESTS += $(top_tests)
top_slice_files = tests/unit/top_slice.c tests/unit/top_slice.h
tests_unit_test_daemon_client_SOURCES = tests/unit/test_daemon_client.c $(top_slice_files)
tests_unit_test_daemon_client_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_daemon_client_LDADD = tests/unit/libdaemontest.a $(report_test_libs)
tests_unit_test_top_SOURCES = tests/unit/test_top.c $(top_slice_files)
tests_unit_test_top_CFLAGS = $(TEST_CFLAGS) -pthread
tests_unit_test_top_LDADD = tests/unit/libdaemontest.a pp/libpp.a libdb/libsdb.a lib/libbase.a \
	$(SYMBOLS_LIBS) $(POPT_LIBS) $(TEST_LIBS) -lm -lpthread
tests_unit_test_optop_SOURCES = tests/unit/test_optop.c tests/unit/terminal.c tests/unit/terminal.h \
	$(top_slice_files)
tests_unit_test_optop_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_optop_LDADD = $(DAEMON_TEST_LIBS)
EXTRA_tests_unit_test_optop_DEPENDENCIES = optop
