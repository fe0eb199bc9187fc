# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += pp/libpp.a
pp_libpp_a_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS) $(ARCHIVE_CFLAGS) $(POPT_CFLAGS) $(ZLIB_CFLAGS) \
	$(ZSTD_CFLAGS)
pp_libpp_a_SOURCES =

# Reports: selection, containers, layouts.
pp_libpp_a_SOURCES += \
	pp/session/archive_reader.c pp/session/archive_reader.h \
	pp/calls/call_functions.c pp/calls/call_functions.h \
	pp/calls/call_graph.c \
	pp/calls/call_names.c pp/calls/call_names.h \
	pp/calls/call_places.c pp/calls/call_places.h \
	pp/calls/call_spread.c pp/calls/call_spread.h \
	pp/calls/call_stacks.c pp/calls/call_stacks.h \
	pp/calls/call_tree.c pp/calls/call_tree.h \
	pp/code/code_functions.c pp/code/code_functions.h \
	pp/selection/select_place.c pp/selection/select_place.h \
	pp/selection/cgroup_shown.c pp/selection/cgroup_shown.h \
	pp/selection/classes.c pp/selection/classes.h \
	pp/session/counters.c pp/session/counters.h \
	pp/profile/balance.c pp/profile/balance.h \
	pp/format/coverage.c pp/format/coverage.h \
	pp/format/format_callgraph.c pp/format/format_calls.h \
	pp/format/format_callgrind.c \
	pp/format/format_columns.c pp/format/format_columns.h \
	pp/page/format_page.c pp/page/format_page.h \
	pp/format/format_document.h pp/format/format_json.c pp/format/format_xml.c \
	pp/format/format_flat.c pp/format/format_rows.h \
	pp/format/format_folded.c \
	pp/format/format_pprof.c \
	pp/format/format_stacks.c \
	pp/format/format_symbols.c \
	pp/format/format_text.c pp/format/format_text.h \
	pp/gprof/gmon.c pp/gprof/gmon.h \
	pp/gprof/gprof_data.c pp/gprof/gprof_data.h \
	pp/base/gzip_writer.c pp/base/gzip_writer.h \
	pp/profile/image_search.c pp/profile/image_search.h \
	pp/base/index_table.c pp/base/index_table.h \
	pp/base/json_writer.c pp/base/json_writer.h \
	pp/page/page_code.c pp/page/page_code.h pp/page/page_code_load.c \
	pp/page/page_data.c pp/page/page_data.h \
	pp/page/page_template.h pp/page/page_tree.c pp/page/page_tree.h \
	pp/selection/part_match.c pp/selection/part_match.h \
	pp/selection/part_reader.c pp/selection/part_reader.h \
	pp/profile/profile.c pp/profile/profile.h \
	pp/profile/profile_details.c pp/profile/profile_details.h \
	pp/profile/profile_inlines.c pp/profile/profile_inlines.h \
	pp/profile/profile_lines.c pp/profile/profile_lines.h \
	pp/profile/profile_merge.c pp/profile/profile_merge.h \
	pp/format/pprof_code.c pp/format/pprof_code.h \
	pp/format/pprof_writer.c pp/format/pprof_writer.h \
	pp/base/protobuf.c pp/base/protobuf.h \
	pp/report/report_calls.c pp/report/report_calls.h \
	pp/profile/profile_time.c pp/profile/profile_time.h \
	pp/report/report_options.c pp/report/report_options.h \
	pp/selection/rows_by.c pp/selection/rows_by.h \
	pp/profile/row_code.c pp/profile/row_code.h \
	pp/format/row_groups.c pp/format/row_groups.h \
	pp/profile/row_symbols.c pp/profile/row_symbols.h \
	pp/profile/row_table.c pp/profile/row_table.h \
	pp/options/select_options.c pp/options/select_options.h \
	pp/selection/selection.c pp/selection/selection.h pp/selection/selection_internal.h \
	pp/selection/selection_error.c pp/selection/selection_error.h \
	pp/selection/selection_order.c pp/selection/selection_share.c pp/selection/selection_walk.c \
	pp/selection/session_dir.c pp/selection/session_dir.h \
	pp/profile/share.c pp/profile/share.h \
	pp/session/session_info.c pp/session/session_info.h \
	pp/session/session_parts.c pp/session/session_parts.h \
	pp/session/session_recent.c pp/session/session_recent.h \
	pp/selection/spec.c pp/selection/spec.h \
	pp/base/strings.c pp/base/strings.h \
	pp/profile/symbol_choice.c pp/profile/symbol_choice.h \
	pp/format/text_line.c pp/format/text_line.h \
	pp/options/tool_options.c pp/options/tool_options.h \
	pp/base/utf8.c pp/base/utf8.h \
	pp/base/xml_writer.c pp/base/xml_writer.h

# The page of opreport --html, in one, as an array.
page_scripts = data.js tree.js heat.js flame.js table.js panel.js page.js
page_files = pp/page/page.html pp/page/page.css \
	pp/page/data.js pp/page/tree.js pp/page/heat.js pp/page/flame.js pp/page/table.js \
	pp/page/panel.js pp/page/page.js pp/page/join.awk pp/page/bytes.awk
EXTRA_DIST += $(page_files)
nodist_pp_libpp_a_SOURCES = pp/page_template.c
CLEANFILES += pp/page_template.c
pp/page_template.c: $(page_files)
	$(AM_V_at)$(MKDIR_P) pp
	$(AM_V_GEN)$(AWK) -v folder='$(srcdir)/pp/page' -v scripts='$(page_scripts)' \
		-f '$(srcdir)/pp/page/join.awk' '$(srcdir)/pp/page/page.html' >$@.joined && \
	od -An -v -tu1 $@.joined | $(AWK) -f '$(srcdir)/pp/page/bytes.awk' >$@.new && \
	rm -f $@.joined && mv $@.new $@

report_tests = \
	tests/unit/pp/format/test_call_fault \
	tests/unit/pp/format/test_call_formats \
	tests/unit/pp/calls/test_call_places \
	tests/unit/pp/calls/test_call_spread \
	tests/unit/pp/calls/test_call_tree \
	tests/unit/pp/format/test_format_calls \
	tests/unit/pp/format/test_format_stacks \
	tests/unit/pp/gprof/test_gmon \
	tests/unit/pp/base/test_protobuf \
	tests/unit/pp/selection/test_cgroup_shown \
	tests/unit/pp/selection/test_rows_by \
	tests/unit/pp/selection/test_classes \
	tests/unit/pp/format/test_coverage \
	tests/unit/pp/session/test_counters \
	tests/unit/pp/format/test_format_diff \
	tests/unit/pp/format/test_format_document \
	tests/unit/pp/format/test_format_flat \
	tests/unit/pp/page/test_format_page \
	tests/unit/pp/format/test_format_symbols \
	tests/unit/pp/format/test_format_text \
	tests/unit/daemon/history/test_history_report \
	tests/unit/pp/base/test_index_table \
	tests/unit/pp/test_opreport \
	tests/unit/pp/profile/test_profile \
	tests/unit/pp/profile/test_profile_details \
	tests/unit/pp/report/test_report_fault \
	tests/unit/pp/report/test_report_options \
	tests/unit/pp/selection/test_selection \
	tests/unit/pp/profile/test_row_code \
	tests/unit/pp/profile/test_row_table \
	tests/unit/pp/selection/test_session_dir \
	tests/unit/pp/session/test_session_info \
	tests/unit/pp/session/test_session_parts \
	tests/unit/pp/profile/test_share \
	tests/unit/pp/selection/test_spec \
	tests/unit/pp/base/test_strings \
	tests/unit/pp/options/test_tool_options \
	tests/unit/pp/base/test_utf8
check_PROGRAMS += $(report_tests)
TESTS += $(report_tests)
report_test_libs = pp/libpp.a events/libevents.a libdb/libsdb.a lib/libbase.a $(TEST_LIBS) -lm
# Sessions made to order, and symbols that the test gives instead of pp/symbols/symbols.h's.
report_test_sources = \
	tests/fixture/fake_lines.c tests/fixture/fake_lines.h \
	tests/fixture/fake_symbols.c tests/fixture/fake_symbols.h \
	tests/fixture/make_profile.c tests/fixture/make_profile.h \
	tests/fixture/make_session.c tests/fixture/make_session.h
# Call trees of sessions made to order.
call_test_sources = $(report_test_sources) \
	tests/fixture/make_calls.c tests/fixture/make_calls.h \
	tests/fixture/make_chains.c tests/fixture/make_chains.h
tests_unit_pp_calls_test_call_tree_SOURCES = tests/unit/pp/calls/test_call_tree.c $(call_test_sources)
tests_unit_pp_calls_test_call_tree_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_calls_test_call_tree_LDADD = $(report_test_libs)
tests_unit_pp_format_test_format_calls_SOURCES = tests/unit/pp/format/test_format_calls.c $(call_test_sources)
tests_unit_pp_format_test_format_calls_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_format_test_format_calls_LDADD = $(report_test_libs) $(ZLIB_LIBS)
tests_unit_pp_format_test_format_stacks_SOURCES = tests/unit/pp/format/test_format_stacks.c $(call_test_sources)
tests_unit_pp_format_test_format_stacks_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_format_test_format_stacks_LDADD = $(report_test_libs) $(ZLIB_LIBS)
tests_unit_pp_format_test_call_fault_SOURCES = tests/unit/pp/format/test_call_fault.c $(call_test_sources) \
	tests/fixture/failing_calls.c tests/fixture/failing_calls.h
tests_unit_pp_format_test_call_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_format_test_call_fault_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup \
	-Wl,--wrap=strndup,--wrap=mmap,--wrap=mremap,--wrap=ftruncate,--wrap=fallocate \
	-Wl,--wrap=posix_fallocate,--wrap=fsync,--wrap=fdatasync,--wrap=syncfs,--wrap=rename \
	-Wl,--wrap=renameat,--wrap=mkdir,--wrap=write,--wrap=pwrite,--wrap=open,--wrap=openat
tests_unit_pp_format_test_call_fault_LDADD = $(report_test_libs) $(ZLIB_LIBS)
tests_unit_pp_format_test_call_formats_SOURCES = tests/unit/pp/format/test_call_formats.c $(call_test_sources) \
	tests/fixture/read_protobuf.c tests/fixture/read_protobuf.h
tests_unit_pp_format_test_call_formats_CFLAGS = $(TEST_CFLAGS) $(ZLIB_CFLAGS)
tests_unit_pp_format_test_call_formats_LDADD = $(report_test_libs) $(ZLIB_LIBS)
tests_unit_pp_calls_test_call_places_SOURCES = tests/unit/pp/calls/test_call_places.c $(call_test_sources)
tests_unit_pp_calls_test_call_places_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_calls_test_call_places_LDADD = $(report_test_libs) $(ZLIB_LIBS)
tests_unit_pp_calls_test_call_spread_SOURCES = tests/unit/pp/calls/test_call_spread.c
tests_unit_pp_calls_test_call_spread_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_calls_test_call_spread_LDADD = pp/libpp.a $(TEST_LIBS)
tests_unit_pp_gprof_test_gmon_SOURCES = tests/unit/pp/gprof/test_gmon.c
tests_unit_pp_gprof_test_gmon_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_gprof_test_gmon_LDADD = pp/libpp.a $(TEST_LIBS)
tests_unit_pp_base_test_protobuf_SOURCES = tests/unit/pp/base/test_protobuf.c
tests_unit_pp_base_test_protobuf_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_base_test_protobuf_LDADD = pp/libpp.a $(TEST_LIBS)
tests_unit_pp_selection_test_classes_SOURCES = tests/unit/pp/selection/test_classes.c
tests_unit_pp_selection_test_classes_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_selection_test_classes_LDADD = $(report_test_libs)
tests_unit_pp_selection_test_cgroup_shown_SOURCES = tests/unit/pp/selection/test_cgroup_shown.c
tests_unit_pp_selection_test_cgroup_shown_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_selection_test_cgroup_shown_LDADD = $(report_test_libs)
tests_unit_pp_selection_test_rows_by_SOURCES = tests/unit/pp/selection/test_rows_by.c
tests_unit_pp_selection_test_rows_by_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_selection_test_rows_by_LDADD = $(report_test_libs)
tests_unit_pp_format_test_coverage_SOURCES = tests/unit/pp/format/test_coverage.c $(report_test_sources)
tests_unit_pp_format_test_coverage_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_format_test_coverage_LDADD = $(report_test_libs)
tests_unit_pp_session_test_counters_SOURCES = tests/unit/pp/session/test_counters.c
tests_unit_pp_session_test_counters_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_session_test_counters_LDADD = $(report_test_libs)
tests_unit_pp_format_test_format_diff_SOURCES = tests/unit/pp/format/test_format_diff.c $(report_test_sources)
tests_unit_pp_format_test_format_diff_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_format_test_format_diff_LDADD = $(report_test_libs)
tests_unit_pp_format_test_format_document_SOURCES = tests/unit/pp/format/test_format_document.c $(report_test_sources)
tests_unit_pp_format_test_format_document_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_format_test_format_document_LDADD = $(report_test_libs)
tests_unit_pp_page_test_format_page_SOURCES = tests/unit/pp/page/test_format_page.c $(report_test_sources)
tests_unit_pp_page_test_format_page_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_page_test_format_page_LDADD = $(report_test_libs)
tests_unit_pp_base_test_utf8_SOURCES = tests/unit/pp/base/test_utf8.c
tests_unit_pp_base_test_utf8_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_base_test_utf8_LDADD = $(report_test_libs)
tests_unit_daemon_history_test_history_report_SOURCES = tests/unit/daemon/history/test_history_report.c $(report_test_sources)
tests_unit_daemon_history_test_history_report_CFLAGS = $(TEST_CFLAGS)
tests_unit_daemon_history_test_history_report_LDADD = $(report_test_libs)
tests_unit_pp_base_test_index_table_SOURCES = tests/unit/pp/base/test_index_table.c
tests_unit_pp_base_test_index_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_base_test_index_table_LDADD = $(report_test_libs)
tests_unit_pp_format_test_format_flat_SOURCES = tests/unit/pp/format/test_format_flat.c $(report_test_sources)
tests_unit_pp_format_test_format_flat_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_format_test_format_flat_LDADD = $(report_test_libs)
tests_unit_pp_format_test_format_symbols_SOURCES = tests/unit/pp/format/test_format_symbols.c $(report_test_sources)
tests_unit_pp_format_test_format_symbols_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_format_test_format_symbols_LDADD = $(report_test_libs)
tests_unit_pp_format_test_format_text_SOURCES = tests/unit/pp/format/test_format_text.c $(report_test_sources)
tests_unit_pp_format_test_format_text_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_format_test_format_text_LDADD = $(report_test_libs)
tests_unit_pp_test_opreport_SOURCES = tests/unit/pp/test_opreport.c \
	tests/fixture/make_session.c tests/fixture/make_session.h
tests_unit_pp_test_opreport_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_test_opreport_LDADD = $(report_test_libs)
tests_unit_pp_profile_test_profile_SOURCES = tests/unit/pp/profile/test_profile.c $(report_test_sources)
tests_unit_pp_profile_test_profile_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_profile_test_profile_LDADD = $(report_test_libs)
tests_unit_pp_profile_test_profile_details_SOURCES = tests/unit/pp/profile/test_profile_details.c $(report_test_sources)
tests_unit_pp_profile_test_profile_details_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_profile_test_profile_details_LDADD = $(report_test_libs)
tests_unit_pp_profile_test_row_code_SOURCES = tests/unit/pp/profile/test_row_code.c $(report_test_sources)
tests_unit_pp_profile_test_row_code_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_profile_test_row_code_LDADD = $(report_test_libs)
tests_unit_pp_report_test_report_fault_SOURCES = tests/unit/pp/report/test_report_fault.c $(report_test_sources)
tests_unit_pp_report_test_report_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_report_test_report_fault_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc \
	-Wl,--wrap=reallocarray,--wrap=strdup
tests_unit_pp_report_test_report_fault_LDADD = $(report_test_libs)
tests_unit_pp_report_test_report_options_SOURCES = tests/unit/pp/report/test_report_options.c
tests_unit_pp_report_test_report_options_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_report_test_report_options_LDADD = $(report_test_libs) $(POPT_LIBS)
tests_unit_pp_selection_test_selection_SOURCES = tests/unit/pp/selection/test_selection.c $(report_test_sources)
tests_unit_pp_selection_test_selection_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_selection_test_selection_LDADD = $(report_test_libs)
tests_unit_pp_selection_test_session_dir_SOURCES = tests/unit/pp/selection/test_session_dir.c
tests_unit_pp_selection_test_session_dir_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_selection_test_session_dir_LDADD = $(report_test_libs)
tests_unit_pp_session_test_session_info_SOURCES = tests/unit/pp/session/test_session_info.c $(report_test_sources)
tests_unit_pp_session_test_session_info_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_session_test_session_info_LDADD = $(report_test_libs)
tests_unit_pp_profile_test_row_table_SOURCES = tests/unit/pp/profile/test_row_table.c
tests_unit_pp_profile_test_row_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_profile_test_row_table_LDADD = $(report_test_libs)
tests_unit_pp_session_test_session_parts_SOURCES = tests/unit/pp/session/test_session_parts.c \
	tests/fixture/make_session.c tests/fixture/make_session.h
tests_unit_pp_session_test_session_parts_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_session_test_session_parts_LDADD = $(report_test_libs)
tests_unit_pp_profile_test_share_SOURCES = tests/unit/pp/profile/test_share.c
tests_unit_pp_profile_test_share_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_profile_test_share_LDADD = $(report_test_libs)
tests_unit_pp_selection_test_spec_SOURCES = tests/unit/pp/selection/test_spec.c
tests_unit_pp_selection_test_spec_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_selection_test_spec_LDADD = $(report_test_libs)
tests_unit_pp_base_test_strings_SOURCES = tests/unit/pp/base/test_strings.c
tests_unit_pp_base_test_strings_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_base_test_strings_LDADD = $(report_test_libs)
tests_unit_pp_options_test_tool_options_SOURCES = tests/unit/pp/options/test_tool_options.c
tests_unit_pp_options_test_tool_options_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_options_test_tool_options_LDADD = $(report_test_libs) $(POPT_LIBS)

# Annotated sources and instructions: what does not read binaries.
pp_libpp_a_SOURCES += \
	pp/annotate/annotate_options.c pp/annotate/annotate_options.h \
	pp/annotate/annotated_output.c pp/annotate/annotated_output.h \
	pp/annotate/annotated_text.c pp/annotate/annotated_text.h \
	pp/annotate/annotation.c pp/annotate/annotation.h pp/annotate/annotation_internal.h pp/annotate/annotation_lines.c \
	pp/annotate/annotation_sums.c pp/annotate/annotation_sums.h \
	pp/annotate/format_annotated.h pp/annotate/format_source.c \
	pp/annotate/source_file.c pp/annotate/source_file.h \
	pp/annotate/source_function.c pp/annotate/source_function.h
annotate_tests = \
	tests/unit/pp/annotate/test_annotation \
	tests/unit/pp/annotate/test_annotation_fault \
	tests/unit/pp/annotate/test_annotate_options \
	tests/unit/pp/annotate/test_format_source \
	tests/unit/pp/annotate/test_source_file \
	tests/unit/pp/annotate/test_source_function
check_PROGRAMS += $(annotate_tests)
TESTS += $(annotate_tests)
annotate_test_sources = $(report_test_sources)
tests_unit_pp_annotate_test_annotation_SOURCES = tests/unit/pp/annotate/test_annotation.c $(annotate_test_sources)
tests_unit_pp_annotate_test_annotation_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_annotate_test_annotation_LDADD = $(report_test_libs)
tests_unit_pp_annotate_test_annotation_fault_SOURCES = tests/unit/pp/annotate/test_annotation_fault.c $(annotate_test_sources)
tests_unit_pp_annotate_test_annotation_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_annotate_test_annotation_fault_LDFLAGS = $(tests_unit_pp_report_test_report_fault_LDFLAGS)
tests_unit_pp_annotate_test_annotation_fault_LDADD = $(report_test_libs)
tests_unit_pp_annotate_test_annotate_options_SOURCES = tests/unit/pp/annotate/test_annotate_options.c
tests_unit_pp_annotate_test_annotate_options_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_annotate_test_annotate_options_LDADD = $(report_test_libs) $(POPT_LIBS)
tests_unit_pp_annotate_test_format_source_SOURCES = tests/unit/pp/annotate/test_format_source.c $(annotate_test_sources)
tests_unit_pp_annotate_test_format_source_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_annotate_test_format_source_LDADD = $(report_test_libs)
tests_unit_pp_annotate_test_source_function_SOURCES = tests/unit/pp/annotate/test_source_function.c
tests_unit_pp_annotate_test_source_function_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_annotate_test_source_function_LDADD = $(report_test_libs)
tests_unit_pp_annotate_test_source_file_SOURCES = tests/unit/pp/annotate/test_source_file.c
tests_unit_pp_annotate_test_source_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_annotate_test_source_file_LDADD = $(report_test_libs)

# Symbols of binaries. Programs that contain them contain libbfd, and are GPL-3.0-or-later.
SYMBOLS_LIBS = $(BFD_LIBS) $(ELF_LIBS) $(LZMA_LIBS)
pp_libpp_a_SOURCES += \
	pp/symbols/code_names.c pp/symbols/code_names.h \
	pp/symbols/debug_fetch.c pp/symbols/debug_fetch.h \
	pp/symbols/debug_file.c pp/symbols/debug_file.h \
	pp/archive/debug_list.c pp/archive/debug_list.h \
	pp/symbols/demangle.c \
	pp/lines/dwarf_abbrev.c pp/lines/dwarf_abbrev.h pp/lines/dwarf_cursor.h \
	pp/lines/dwarf_file.c pp/lines/dwarf_file.h \
	pp/lines/dwarf_files.c pp/lines/dwarf_files.h \
	pp/lines/dwarf_lines.c pp/lines/dwarf_lines.h \
	pp/lines/dwarf_ranges.c \
	pp/lines/dwarf_split.c pp/lines/dwarf_split.h \
	pp/lines/dwarf_unit.c pp/lines/dwarf_unit.h \
	pp/lines/line_builder.c pp/lines/line_builder.h pp/lines/line_sweep.c \
	pp/lines/line_reader.c pp/lines/line_reader.h \
	pp/lines/line_table.c pp/lines/line_table.h \
	pp/lines/line_walk.c pp/lines/line_walk.h \
	pp/lines/line_wire.c pp/lines/line_wire.h \
	pp/symbols/mini_symbols.c pp/symbols/mini_symbols.h \
	pp/symbols/kernel_symbols.c pp/symbols/kernel_symbols.h \
	pp/symbols/symbol_cache.c pp/symbols/symbol_cache.h \
	pp/symbols/symbol_file.c pp/symbols/symbol_file.h \
	pp/code/code_bytes.c pp/code/code_bytes.h \
	pp/code/code_reader.c pp/code/code_reader.h \
	pp/symbols/symbol_helper.c pp/symbols/symbol_helper.h \
	pp/symbols/symbol_image.c pp/symbols/symbol_image.h \
	pp/symbols/symbol_list.c pp/symbols/symbol_list.h \
	pp/symbols/symbol_plt.c pp/symbols/symbol_plt.h \
	pp/symbols/symbol_reader.c pp/symbols/symbol_reader.h \
	pp/symbols/symbol_wire.c pp/symbols/symbol_wire.h \
	pp/symbols/symbols.c pp/symbols/symbols.h

symbol_tests = \
	tests/unit/pp/code/test_code_bytes \
	tests/unit/pp/symbols/test_code_names \
	tests/unit/pp/symbols/test_debug_file \
	tests/unit/pp/code/test_code_functions \
	tests/unit/pp/symbols/test_demangle \
	tests/unit/pp/symbols/test_kernel_symbols \
	tests/unit/pp/lines/test_line_fault \
	tests/unit/pp/lines/test_line_table \
	tests/unit/pp/symbols/test_symbol_helper \
	tests/unit/pp/symbols/test_symbol_list \
	tests/unit/pp/symbols/test_symbol_reader \
	tests/unit/pp/symbols/test_symbol_cache \
	tests/unit/pp/symbols/test_symbol_wire \
	tests/unit/pp/symbols/test_symbols
check_PROGRAMS += $(symbol_tests)
TESTS += $(symbol_tests)
symbol_test_libs = pp/libpp.a libdb/libsdb.a lib/libbase.a $(SYMBOLS_LIBS) $(TEST_LIBS)
tests_unit_pp_lines_test_line_fault_SOURCES = tests/unit/pp/lines/test_line_fault.c tests/fixture/built_elf.c tests/fixture/built_elf.h \
	tests/fixture/failing_calls.c tests/fixture/failing_calls.h
tests_unit_pp_lines_test_line_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_lines_test_line_fault_LDFLAGS = $(AM_LDFLAGS) $(failing_calls_wrap_flags)
tests_unit_pp_lines_test_line_fault_LDADD = $(symbol_test_libs)
tests_unit_pp_lines_test_line_table_SOURCES = tests/unit/pp/lines/test_line_table.c tests/fixture/built_elf.c tests/fixture/built_elf.h
tests_unit_pp_lines_test_line_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_lines_test_line_table_LDADD = $(symbol_test_libs)
tests_unit_pp_code_test_code_bytes_SOURCES = tests/unit/pp/code/test_code_bytes.c
tests_unit_pp_code_test_code_bytes_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_code_test_code_bytes_LDADD = $(symbol_test_libs)
tests_unit_pp_symbols_test_code_names_SOURCES = tests/unit/pp/symbols/test_code_names.c
tests_unit_pp_symbols_test_code_names_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_symbols_test_code_names_LDADD = $(symbol_test_libs)
tests_unit_pp_symbols_test_debug_file_SOURCES = tests/unit/pp/symbols/test_debug_file.c tests/fixture/test_folder.c \
	tests/fixture/test_folder.h
tests_unit_pp_symbols_test_debug_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_symbols_test_debug_file_LDADD = $(symbol_test_libs)
tests_unit_pp_code_test_code_functions_SOURCES = tests/unit/pp/code/test_code_functions.c $(unwind_process_code)
tests_unit_pp_code_test_code_functions_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_code_test_code_functions_LDADD = pp/libpp.a unwind/libunwind.a libdb/libsdb.a lib/libbase.a \
	$(SYMBOLS_LIBS) $(TEST_LIBS)
tests_unit_pp_symbols_test_demangle_SOURCES = tests/unit/pp/symbols/test_demangle.c
tests_unit_pp_symbols_test_demangle_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_symbols_test_demangle_LDADD = $(symbol_test_libs)
tests_unit_pp_symbols_test_symbol_helper_SOURCES = tests/unit/pp/symbols/test_symbol_helper.c
tests_unit_pp_symbols_test_symbol_helper_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_symbols_test_symbol_helper_LDADD = $(symbol_test_libs)
tests_unit_pp_symbols_test_symbol_list_SOURCES = tests/unit/pp/symbols/test_symbol_list.c
tests_unit_pp_symbols_test_symbol_list_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_symbols_test_symbol_list_LDADD = $(symbol_test_libs)
tests_unit_pp_symbols_test_symbol_reader_SOURCES = tests/unit/pp/symbols/test_symbol_reader.c tests/fixture/built_elf.c tests/fixture/built_elf.h
tests_unit_pp_symbols_test_symbol_reader_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_symbols_test_symbol_reader_LDADD = $(symbol_test_libs)
tests_unit_pp_symbols_test_symbol_cache_SOURCES = tests/unit/pp/symbols/test_symbol_cache.c tests/fixture/test_folder.c \
	tests/fixture/test_folder.h
tests_unit_pp_symbols_test_symbol_cache_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_symbols_test_symbol_cache_LDADD = $(symbol_test_libs)
tests_unit_pp_symbols_test_symbol_wire_SOURCES = tests/unit/pp/symbols/test_symbol_wire.c
tests_unit_pp_symbols_test_symbol_wire_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_symbols_test_symbol_wire_LDADD = $(symbol_test_libs)
tests_unit_pp_symbols_test_kernel_symbols_SOURCES = tests/unit/pp/symbols/test_kernel_symbols.c
tests_unit_pp_symbols_test_kernel_symbols_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_symbols_test_kernel_symbols_LDADD = $(symbol_test_libs)
tests_unit_pp_symbols_test_symbols_SOURCES = tests/unit/pp/symbols/test_symbols.c
tests_unit_pp_symbols_test_symbols_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_symbols_test_symbols_LDADD = $(symbol_test_libs)

bin_PROGRAMS += opreport
dist_man_MANS += doc/man/opreport.1 doc/man/oprof-diff.1
dist_pkgdata_DATA = doc/opreport.xsd
opreport_SOURCES = pp/opreport.c
opreport_LDADD = pp/libpp.a unwind/libunwind.a events/libevents.a libdb/libsdb.a lib/libbase.a \
	$(OPCODE_LIBS) $(ARCHIVE_LIBS) $(POPT_LIBS) $(ZLIB_LIBS) -lm

# opannotate, and what reads instructions.
OPCODE_LIBS = $(OPCODES_LIBS) $(SYMBOLS_LIBS)
pp_libpp_a_SOURCES += \
	pp/annotate/annotated_mixed.c pp/annotate/annotated_mixed.h \
	pp/code/disassembly.c pp/code/disassembly.h pp/code/disassembly_wire.c pp/code/disassembly_wire.h \
	pp/code/disassembly_reader.c pp/code/disassembly_reader.h \
	pp/annotate/format_assembly.c \
	pp/code/instruction.c pp/code/instruction.h
check_PROGRAMS += tests/unit/pp/code/test_disassembly
TESTS += tests/unit/pp/code/test_disassembly
tests_unit_pp_code_test_disassembly_SOURCES = tests/unit/pp/code/test_disassembly.c
tests_unit_pp_code_test_disassembly_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_code_test_disassembly_LDADD = pp/libpp.a libdb/libsdb.a lib/libbase.a $(OPCODE_LIBS) $(TEST_LIBS)
bin_PROGRAMS += opgprof
dist_man_MANS += doc/man/opgprof.1
opgprof_SOURCES = pp/opgprof.c
opgprof_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
opgprof_LDADD = pp/libpp.a unwind/libunwind.a events/libevents.a libdb/libsdb.a lib/libbase.a \
	$(SYMBOLS_LIBS) $(ARCHIVE_LIBS) $(POPT_LIBS) $(ZLIB_LIBS) -lm

bin_PROGRAMS += opannotate
opannotate_SOURCES = pp/opannotate.c
opannotate_LDADD = pp/libpp.a events/libevents.a libdb/libsdb.a lib/libbase.a \
	$(OPCODE_LIBS) $(ARCHIVE_LIBS) $(POPT_LIBS) -lm
dist_man_MANS += doc/man/opannotate.1

# Verifying sample files.
bin_PROGRAMS += opcheck
dist_man_MANS += doc/man/opcheck.1
opcheck_SOURCES = pp/opcheck.c
opcheck_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
opcheck_LDADD = libdb/libsdb.a lib/libbase.a $(POPT_LIBS)
check_PROGRAMS += tests/unit/pp/test_opcheck
TESTS += tests/unit/pp/test_opcheck
tests_unit_pp_test_opcheck_SOURCES = tests/unit/pp/test_opcheck.c
tests_unit_pp_test_opcheck_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_test_opcheck_LDADD = libdb/libsdbtest.a libdb/libsdb.a lib/libbase.a $(TEST_LIBS)

# What is in traces.
pp_libpp_a_SOURCES += \
	pp/trace/trace_backwards.c pp/trace/trace_backwards.h \
	pp/trace/trace_filter.c pp/trace/trace_filter.h \
	pp/trace/trace_line.c pp/trace/trace_line.h \
	pp/trace/trace_calls.c pp/trace/trace_calls.h \
	pp/trace/trace_interrupts.c pp/trace/trace_interrupts.h \
	pp/trace/trace_pids.c pp/trace/trace_pids.h \
	pp/trace/trace_processes.c pp/trace/trace_processes.h \
	pp/trace/trace_rules.c pp/trace/trace_rules.h \
	pp/trace/trace_distribution.c pp/trace/trace_distribution.h \
	pp/trace/trace_states.c pp/trace/trace_states.h pp/trace/trace_states_internal.h pp/trace/trace_states_tasks.c \
	pp/trace/trace_threads.c pp/trace/trace_threads.h \
	pp/trace/trace_who.c pp/trace/trace_who.h \
	pp/trace/trace_stats.c pp/trace/trace_stats.h pp/trace/trace_stats_json.c \
	pp/trace/trace_stats_names.c pp/trace/trace_stats_names.h
bin_PROGRAMS += optrace-read
optrace_read_SOURCES = pp/trace/optrace_read.c pp/trace/optrace_read.h pp/trace/optrace_events.c pp/trace/optrace_stats.c
optrace_read_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
optrace_read_LDADD = pp/libpp.a ctf/libctf.a libdb/libsdb.a lib/libbase.a $(SYMBOLS_LIBS) $(POPT_LIBS) -lm
trace_tests = tests/unit/pp/trace/test_trace_backwards tests/unit/pp/trace/test_trace_line tests/unit/pp/trace/test_trace_distribution tests/unit/pp/trace/test_trace_pids \
	tests/unit/pp/trace/test_trace_states tests/unit/pp/trace/test_trace_states_tasks
check_PROGRAMS += $(trace_tests)
TESTS += $(trace_tests)
tests_unit_pp_trace_test_trace_backwards_SOURCES = tests/unit/pp/trace/test_trace_backwards.c $(ctf_made_trace) \
	$(ctf_test_folder)
tests_unit_pp_trace_test_trace_backwards_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_trace_test_trace_backwards_LDADD = pp/libpp.a ctf/libctf.a lib/libbase.a $(TEST_LIBS)
tests_unit_pp_trace_test_trace_line_SOURCES = tests/unit/pp/trace/test_trace_line.c
tests_unit_pp_trace_test_trace_line_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_trace_test_trace_line_LDADD = pp/libpp.a ctf/libctf.a lib/libbase.a $(TEST_LIBS)
tests_unit_pp_trace_test_trace_distribution_SOURCES = tests/unit/pp/trace/test_trace_distribution.c
tests_unit_pp_trace_test_trace_distribution_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_trace_test_trace_distribution_LDADD = pp/libpp.a lib/libbase.a $(TEST_LIBS)
tests_unit_pp_trace_test_trace_pids_SOURCES = tests/unit/pp/trace/test_trace_pids.c
tests_unit_pp_trace_test_trace_pids_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_trace_test_trace_pids_LDADD = pp/libpp.a ctf/libctf.a lib/libbase.a $(TEST_LIBS)
tests_unit_pp_trace_test_trace_states_tasks_SOURCES = tests/unit/pp/trace/test_trace_states_tasks.c
tests_unit_pp_trace_test_trace_states_tasks_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_trace_test_trace_states_tasks_LDADD = pp/libpp.a ctf/libctf.a lib/libbase.a $(TEST_LIBS)
tests_unit_pp_trace_test_trace_states_SOURCES = tests/unit/pp/trace/test_trace_states.c
tests_unit_pp_trace_test_trace_states_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_trace_test_trace_states_LDADD = pp/libpp.a ctf/libctf.a lib/libbase.a $(TEST_LIBS)

# oprof top: the live view.
pp_libpp_a_SOURCES += \
	pp/session/daemon_client.c pp/session/daemon_client.h \
	pp/top/top.c pp/top/top.h \
	pp/top/top_options.c pp/top/top_options.h \
	pp/top/top_rows.c pp/top/top_rows.h \
	pp/top/top_samples.c pp/top/top_samples.h \
	pp/top/top_symbols.c pp/top/top_symbols.h \
	pp/top/top_text.c pp/top/top_text.h
bin_PROGRAMS += optop
dist_man_MANS += doc/man/optop.1
optop_SOURCES = pp/optop.c pp/top/top_screen.c pp/top/top_screen.h
optop_CFLAGS = $(AM_CFLAGS) $(CURSES_CFLAGS) $(POPT_CFLAGS) -pthread
optop_LDADD = pp/libpp.a libdb/libsdb.a lib/libbase.a $(SYMBOLS_LIBS) $(POPT_LIBS) \
	$(CURSES_LIBS) -lm -lpthread

top_tests = tests/unit/pp/session/test_daemon_client tests/unit/pp/test_optop tests/unit/pp/top/test_top \
	tests/unit/pp/top/test_top_symbols
check_PROGRAMS += $(top_tests)
TESTS += $(top_tests)
top_slice_files = tests/fixture/top_slice.c tests/fixture/top_slice.h
tests_unit_pp_session_test_daemon_client_SOURCES = tests/unit/pp/session/test_daemon_client.c $(top_slice_files)
tests_unit_pp_session_test_daemon_client_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_session_test_daemon_client_LDADD = tests/unit/libdaemontest.a $(report_test_libs)
tests_unit_pp_top_test_top_SOURCES = tests/unit/pp/top/test_top.c $(top_slice_files)
tests_unit_pp_top_test_top_CFLAGS = $(TEST_CFLAGS) -pthread
tests_unit_pp_top_test_top_LDADD = tests/unit/libdaemontest.a pp/libpp.a libdb/libsdb.a lib/libbase.a \
	$(SYMBOLS_LIBS) $(POPT_LIBS) $(TEST_LIBS) -lm -lpthread
tests_unit_pp_top_test_top_symbols_SOURCES = tests/unit/pp/top/test_top_symbols.c
tests_unit_pp_top_test_top_symbols_CFLAGS = $(TEST_CFLAGS) -pthread
tests_unit_pp_top_test_top_symbols_LDADD = $(tests_unit_pp_top_test_top_LDADD)
tests_unit_pp_test_optop_SOURCES = tests/unit/pp/test_optop.c tests/fixture/terminal.c tests/fixture/terminal.h \
	$(top_slice_files)
tests_unit_pp_test_optop_CFLAGS = $(TEST_CFLAGS)
tests_unit_pp_test_optop_LDADD = $(DAEMON_TEST_LIBS)
EXTRA_tests_unit_test_optop_DEPENDENCIES = optop

# oparchive: what reports take, for another machine.
pp_libpp_a_SOURCES += \
	pp/archive/archive_content.c pp/archive/archive_content.h \
	pp/archive/archive_slices.c pp/archive/archive_slices.h \
	pp/archive/archive_writer.c pp/archive/archive_writer.h
bin_PROGRAMS += oparchive
dist_man_MANS += doc/man/oparchive.1
oparchive_SOURCES = pp/oparchive.c
oparchive_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
oparchive_LDADD = pp/libpp.a libdb/libsdb.a lib/libbase.a $(SYMBOLS_LIBS) $(POPT_LIBS) \
	$(ARCHIVE_LIBS) -lm
check_PROGRAMS += tests/unit/pp/archive/test_archive
TESTS += tests/unit/pp/archive/test_archive
tests_unit_pp_archive_test_archive_SOURCES = tests/unit/pp/archive/test_archive.c \
	tests/fixture/make_session.c tests/fixture/make_session.h \
	tests/fixture/test_folder.c tests/fixture/test_folder.h
tests_unit_pp_archive_test_archive_CFLAGS = $(TEST_CFLAGS) $(ARCHIVE_CFLAGS)
tests_unit_pp_archive_test_archive_LDADD = pp/libpp.a libdb/libsdb.a lib/libbase.a $(SYMBOLS_LIBS) \
	$(ARCHIVE_LIBS) $(TEST_LIBS) -lm
