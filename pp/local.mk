# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += pp/libpp.a
pp_libpp_a_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS) $(ARCHIVE_CFLAGS) $(POPT_CFLAGS) $(ZLIB_CFLAGS) \
	$(ZSTD_CFLAGS)
pp_libpp_a_SOURCES =

# Reports: selection, containers, layouts.
pp_libpp_a_SOURCES += \
	pp/archive_reader.c pp/archive_reader.h \
	pp/call_functions.c pp/call_functions.h \
	pp/call_graph.c \
	pp/call_names.c pp/call_names.h \
	pp/call_places.c pp/call_places.h \
	pp/call_spread.c pp/call_spread.h \
	pp/call_stacks.c pp/call_stacks.h \
	pp/call_tree.c pp/call_tree.h \
	pp/code_functions.c pp/code_functions.h \
	pp/select_place.c pp/select_place.h \
	pp/cgroup_shown.c pp/cgroup_shown.h \
	pp/classes.c pp/classes.h \
	pp/counters.c pp/counters.h \
	pp/balance.c pp/balance.h \
	pp/coverage.c pp/coverage.h \
	pp/format_callgraph.c pp/format_calls.h \
	pp/format_callgrind.c \
	pp/format_columns.c pp/format_columns.h \
	pp/format_page.c pp/format_page.h \
	pp/format_document.h pp/format_json.c pp/format_xml.c \
	pp/format_flat.c pp/format_rows.h \
	pp/format_folded.c \
	pp/format_pprof.c \
	pp/format_stacks.c \
	pp/format_symbols.c \
	pp/format_text.c pp/format_text.h \
	pp/gmon.c pp/gmon.h \
	pp/gprof_data.c pp/gprof_data.h \
	pp/gzip_writer.c pp/gzip_writer.h \
	pp/image_search.c pp/image_search.h \
	pp/index_table.c pp/index_table.h \
	pp/json_writer.c pp/json_writer.h \
	pp/page_code.c pp/page_code.h pp/page_code_load.c \
	pp/page_data.c pp/page_data.h \
	pp/page_template.h pp/page_tree.c pp/page_tree.h \
	pp/part_match.c pp/part_match.h \
	pp/part_reader.c pp/part_reader.h \
	pp/profile.c pp/profile.h \
	pp/profile_details.c pp/profile_details.h \
	pp/profile_inlines.c pp/profile_inlines.h \
	pp/profile_lines.c pp/profile_lines.h \
	pp/profile_merge.c pp/profile_merge.h \
	pp/pprof_code.c pp/pprof_code.h \
	pp/pprof_writer.c pp/pprof_writer.h \
	pp/protobuf.c pp/protobuf.h \
	pp/report_calls.c pp/report_calls.h \
	pp/profile_time.c pp/profile_time.h \
	pp/report_options.c pp/report_options.h \
	pp/rows_by.c pp/rows_by.h \
	pp/row_code.c pp/row_code.h \
	pp/row_groups.c pp/row_groups.h \
	pp/row_symbols.c pp/row_symbols.h \
	pp/row_table.c pp/row_table.h \
	pp/select_options.c pp/select_options.h \
	pp/selection.c pp/selection.h pp/selection_internal.h \
	pp/selection_error.c pp/selection_error.h \
	pp/selection_order.c pp/selection_share.c pp/selection_walk.c \
	pp/session_dir.c pp/session_dir.h \
	pp/share.c pp/share.h \
	pp/session_info.c pp/session_info.h \
	pp/session_parts.c pp/session_parts.h \
	pp/session_recent.c pp/session_recent.h \
	pp/spec.c pp/spec.h \
	pp/strings.c pp/strings.h \
	pp/symbol_choice.c pp/symbol_choice.h \
	pp/text_line.c pp/text_line.h \
	pp/tool_options.c pp/tool_options.h \
	pp/utf8.c pp/utf8.h \
	pp/xml_writer.c pp/xml_writer.h

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
	tests/unit/test_call_fault \
	tests/unit/test_call_formats \
	tests/unit/test_call_places \
	tests/unit/test_call_spread \
	tests/unit/test_call_tree \
	tests/unit/test_format_calls \
	tests/unit/test_format_stacks \
	tests/unit/test_gmon \
	tests/unit/test_protobuf \
	tests/unit/test_cgroup_shown \
	tests/unit/test_rows_by \
	tests/unit/test_classes \
	tests/unit/test_coverage \
	tests/unit/test_counters \
	tests/unit/test_format_diff \
	tests/unit/test_format_document \
	tests/unit/test_format_flat \
	tests/unit/test_format_page \
	tests/unit/test_format_symbols \
	tests/unit/test_format_text \
	tests/unit/test_history_report \
	tests/unit/test_index_table \
	tests/unit/test_opreport \
	tests/unit/test_profile \
	tests/unit/test_profile_details \
	tests/unit/test_report_fault \
	tests/unit/test_report_options \
	tests/unit/test_selection \
	tests/unit/test_row_code \
	tests/unit/test_row_table \
	tests/unit/test_session_dir \
	tests/unit/test_session_info \
	tests/unit/test_session_parts \
	tests/unit/test_share \
	tests/unit/test_spec \
	tests/unit/test_strings \
	tests/unit/test_tool_options \
	tests/unit/test_utf8
check_PROGRAMS += $(report_tests)
TESTS += $(report_tests)
report_test_libs = pp/libpp.a events/libevents.a libdb/libsdb.a lib/libbase.a $(TEST_LIBS) -lm
# Sessions made to order, and symbols that the test gives instead of pp/symbols.h's.
report_test_sources = \
	tests/unit/fake_lines.c tests/unit/fake_lines.h \
	tests/unit/fake_symbols.c tests/unit/fake_symbols.h \
	tests/unit/make_profile.c tests/unit/make_profile.h \
	tests/unit/make_session.c tests/unit/make_session.h
# Call trees of sessions made to order.
call_test_sources = $(report_test_sources) \
	tests/unit/make_calls.c tests/unit/make_calls.h \
	tests/unit/make_chains.c tests/unit/make_chains.h
tests_unit_test_call_tree_SOURCES = tests/unit/test_call_tree.c $(call_test_sources)
tests_unit_test_call_tree_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_call_tree_LDADD = $(report_test_libs)
tests_unit_test_format_calls_SOURCES = tests/unit/test_format_calls.c $(call_test_sources)
tests_unit_test_format_calls_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_format_calls_LDADD = $(report_test_libs) $(ZLIB_LIBS)
tests_unit_test_format_stacks_SOURCES = tests/unit/test_format_stacks.c $(call_test_sources)
tests_unit_test_format_stacks_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_format_stacks_LDADD = $(report_test_libs) $(ZLIB_LIBS)
tests_unit_test_call_fault_SOURCES = tests/unit/test_call_fault.c $(call_test_sources) \
	tests/unit/failing_calls.c tests/unit/failing_calls.h
tests_unit_test_call_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_call_fault_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup \
	-Wl,--wrap=strndup,--wrap=mmap,--wrap=mremap,--wrap=ftruncate,--wrap=fallocate \
	-Wl,--wrap=posix_fallocate,--wrap=fsync,--wrap=fdatasync,--wrap=syncfs,--wrap=rename \
	-Wl,--wrap=renameat,--wrap=mkdir,--wrap=write,--wrap=pwrite,--wrap=open,--wrap=openat
tests_unit_test_call_fault_LDADD = $(report_test_libs) $(ZLIB_LIBS)
tests_unit_test_call_formats_SOURCES = tests/unit/test_call_formats.c $(call_test_sources) \
	tests/unit/read_protobuf.c tests/unit/read_protobuf.h
tests_unit_test_call_formats_CFLAGS = $(TEST_CFLAGS) $(ZLIB_CFLAGS)
tests_unit_test_call_formats_LDADD = $(report_test_libs) $(ZLIB_LIBS)
tests_unit_test_call_places_SOURCES = tests/unit/test_call_places.c $(call_test_sources)
tests_unit_test_call_places_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_call_places_LDADD = $(report_test_libs) $(ZLIB_LIBS)
tests_unit_test_call_spread_SOURCES = tests/unit/test_call_spread.c
tests_unit_test_call_spread_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_call_spread_LDADD = pp/libpp.a $(TEST_LIBS)
tests_unit_test_gmon_SOURCES = tests/unit/test_gmon.c
tests_unit_test_gmon_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_gmon_LDADD = pp/libpp.a $(TEST_LIBS)
tests_unit_test_protobuf_SOURCES = tests/unit/test_protobuf.c
tests_unit_test_protobuf_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_protobuf_LDADD = pp/libpp.a $(TEST_LIBS)
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
tests_unit_test_format_document_SOURCES = tests/unit/test_format_document.c $(report_test_sources)
tests_unit_test_format_document_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_format_document_LDADD = $(report_test_libs)
tests_unit_test_format_page_SOURCES = tests/unit/test_format_page.c $(report_test_sources)
tests_unit_test_format_page_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_format_page_LDADD = $(report_test_libs)
tests_unit_test_utf8_SOURCES = tests/unit/test_utf8.c
tests_unit_test_utf8_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_utf8_LDADD = $(report_test_libs)
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
tests_unit_test_profile_details_SOURCES = tests/unit/test_profile_details.c $(report_test_sources)
tests_unit_test_profile_details_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_profile_details_LDADD = $(report_test_libs)
tests_unit_test_row_code_SOURCES = tests/unit/test_row_code.c $(report_test_sources)
tests_unit_test_row_code_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_row_code_LDADD = $(report_test_libs)
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
tests_unit_test_tool_options_SOURCES = tests/unit/test_tool_options.c
tests_unit_test_tool_options_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_tool_options_LDADD = $(report_test_libs) $(POPT_LIBS)

# Annotated sources and instructions: what does not read binaries.
pp_libpp_a_SOURCES += \
	pp/annotate_options.c pp/annotate_options.h \
	pp/annotated_output.c pp/annotated_output.h \
	pp/annotated_text.c pp/annotated_text.h \
	pp/annotation.c pp/annotation.h pp/annotation_internal.h pp/annotation_lines.c \
	pp/annotation_sums.c pp/annotation_sums.h \
	pp/format_annotated.h pp/format_source.c \
	pp/source_file.c pp/source_file.h \
	pp/source_function.c pp/source_function.h
annotate_tests = \
	tests/unit/test_annotation \
	tests/unit/test_annotation_fault \
	tests/unit/test_annotate_options \
	tests/unit/test_format_source \
	tests/unit/test_source_file \
	tests/unit/test_source_function
check_PROGRAMS += $(annotate_tests)
TESTS += $(annotate_tests)
annotate_test_sources = $(report_test_sources)
tests_unit_test_annotation_SOURCES = tests/unit/test_annotation.c $(annotate_test_sources)
tests_unit_test_annotation_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_annotation_LDADD = $(report_test_libs)
tests_unit_test_annotation_fault_SOURCES = tests/unit/test_annotation_fault.c $(annotate_test_sources)
tests_unit_test_annotation_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_annotation_fault_LDFLAGS = $(tests_unit_test_report_fault_LDFLAGS)
tests_unit_test_annotation_fault_LDADD = $(report_test_libs)
tests_unit_test_annotate_options_SOURCES = tests/unit/test_annotate_options.c
tests_unit_test_annotate_options_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_annotate_options_LDADD = $(report_test_libs) $(POPT_LIBS)
tests_unit_test_format_source_SOURCES = tests/unit/test_format_source.c $(annotate_test_sources)
tests_unit_test_format_source_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_format_source_LDADD = $(report_test_libs)
tests_unit_test_source_function_SOURCES = tests/unit/test_source_function.c
tests_unit_test_source_function_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_source_function_LDADD = $(report_test_libs)
tests_unit_test_source_file_SOURCES = tests/unit/test_source_file.c
tests_unit_test_source_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_source_file_LDADD = $(report_test_libs)

# Symbols of binaries. Programs that contain them contain libbfd, and are GPL-3.0-or-later.
SYMBOLS_LIBS = $(BFD_LIBS) $(ELF_LIBS) $(LZMA_LIBS)
pp_libpp_a_SOURCES += \
	pp/code_names.c pp/code_names.h \
	pp/debug_fetch.c pp/debug_fetch.h \
	pp/debug_file.c pp/debug_file.h \
	pp/debug_list.c pp/debug_list.h \
	pp/demangle.c \
	pp/dwarf_abbrev.c pp/dwarf_abbrev.h pp/dwarf_cursor.h \
	pp/dwarf_file.c pp/dwarf_file.h \
	pp/dwarf_files.c pp/dwarf_files.h \
	pp/dwarf_lines.c pp/dwarf_lines.h \
	pp/dwarf_ranges.c \
	pp/dwarf_split.c pp/dwarf_split.h \
	pp/dwarf_unit.c pp/dwarf_unit.h \
	pp/line_builder.c pp/line_builder.h pp/line_sweep.c \
	pp/line_reader.c pp/line_reader.h \
	pp/line_table.c pp/line_table.h \
	pp/line_walk.c pp/line_walk.h \
	pp/line_wire.c pp/line_wire.h \
	pp/mini_symbols.c pp/mini_symbols.h \
	pp/kernel_symbols.c pp/kernel_symbols.h \
	pp/symbol_cache.c pp/symbol_cache.h \
	pp/symbol_file.c pp/symbol_file.h \
	pp/code_bytes.c pp/code_bytes.h \
	pp/code_reader.c pp/code_reader.h \
	pp/symbol_helper.c pp/symbol_helper.h \
	pp/symbol_image.c pp/symbol_image.h \
	pp/symbol_list.c pp/symbol_list.h \
	pp/symbol_plt.c pp/symbol_plt.h \
	pp/symbol_reader.c pp/symbol_reader.h \
	pp/symbol_wire.c pp/symbol_wire.h \
	pp/symbols.c pp/symbols.h

symbol_tests = \
	tests/unit/test_code_bytes \
	tests/unit/test_code_names \
	tests/unit/test_debug_file \
	tests/unit/test_code_functions \
	tests/unit/test_demangle \
	tests/unit/test_kernel_symbols \
	tests/unit/test_line_fault \
	tests/unit/test_line_table \
	tests/unit/test_symbol_helper \
	tests/unit/test_symbol_list \
	tests/unit/test_symbol_reader \
	tests/unit/test_symbol_cache \
	tests/unit/test_symbol_wire \
	tests/unit/test_symbols
check_PROGRAMS += $(symbol_tests)
TESTS += $(symbol_tests)
symbol_test_libs = pp/libpp.a libdb/libsdb.a lib/libbase.a $(SYMBOLS_LIBS) $(TEST_LIBS)
tests_unit_test_line_fault_SOURCES = tests/unit/test_line_fault.c tests/unit/built_elf.c tests/unit/built_elf.h \
	tests/unit/failing_calls.c tests/unit/failing_calls.h
tests_unit_test_line_fault_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_line_fault_LDFLAGS = $(AM_LDFLAGS) $(failing_calls_wrap_flags)
tests_unit_test_line_fault_LDADD = $(symbol_test_libs)
tests_unit_test_line_table_SOURCES = tests/unit/test_line_table.c tests/unit/built_elf.c tests/unit/built_elf.h
tests_unit_test_line_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_line_table_LDADD = $(symbol_test_libs)
tests_unit_test_code_bytes_SOURCES = tests/unit/test_code_bytes.c
tests_unit_test_code_bytes_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_code_bytes_LDADD = $(symbol_test_libs)
tests_unit_test_code_names_SOURCES = tests/unit/test_code_names.c
tests_unit_test_code_names_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_code_names_LDADD = $(symbol_test_libs)
tests_unit_test_debug_file_SOURCES = tests/unit/test_debug_file.c tests/unit/test_folder.c \
	tests/unit/test_folder.h
tests_unit_test_debug_file_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_debug_file_LDADD = $(symbol_test_libs)
tests_unit_test_code_functions_SOURCES = tests/unit/test_code_functions.c $(unwind_process_code)
tests_unit_test_code_functions_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_code_functions_LDADD = pp/libpp.a unwind/libunwind.a libdb/libsdb.a lib/libbase.a \
	$(SYMBOLS_LIBS) $(TEST_LIBS)
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
dist_pkgdata_DATA = doc/opreport.xsd
opreport_SOURCES = pp/opreport.c
opreport_LDADD = pp/libpp.a unwind/libunwind.a events/libevents.a libdb/libsdb.a lib/libbase.a \
	$(OPCODE_LIBS) $(ARCHIVE_LIBS) $(POPT_LIBS) $(ZLIB_LIBS) -lm

# opannotate, and what reads instructions.
OPCODE_LIBS = $(OPCODES_LIBS) $(SYMBOLS_LIBS)
pp_libpp_a_SOURCES += \
	pp/annotated_mixed.c pp/annotated_mixed.h \
	pp/disassembly.c pp/disassembly.h pp/disassembly_wire.c pp/disassembly_wire.h \
	pp/disassembly_reader.c pp/disassembly_reader.h \
	pp/format_assembly.c \
	pp/instruction.c pp/instruction.h
check_PROGRAMS += tests/unit/test_disassembly
TESTS += tests/unit/test_disassembly
tests_unit_test_disassembly_SOURCES = tests/unit/test_disassembly.c
tests_unit_test_disassembly_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_disassembly_LDADD = pp/libpp.a libdb/libsdb.a lib/libbase.a $(OPCODE_LIBS) $(TEST_LIBS)
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
check_PROGRAMS += tests/unit/test_opcheck
TESTS += tests/unit/test_opcheck
tests_unit_test_opcheck_SOURCES = tests/unit/test_opcheck.c
tests_unit_test_opcheck_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_opcheck_LDADD = libdb/libsdbtest.a libdb/libsdb.a lib/libbase.a $(TEST_LIBS)

# What is in traces.
pp_libpp_a_SOURCES += \
	pp/trace_backwards.c pp/trace_backwards.h \
	pp/trace_filter.c pp/trace_filter.h \
	pp/trace_line.c pp/trace_line.h \
	pp/trace_calls.c pp/trace_calls.h \
	pp/trace_interrupts.c pp/trace_interrupts.h \
	pp/trace_pids.c pp/trace_pids.h \
	pp/trace_processes.c pp/trace_processes.h \
	pp/trace_rules.c pp/trace_rules.h \
	pp/trace_distribution.c pp/trace_distribution.h \
	pp/trace_states.c pp/trace_states.h pp/trace_states_internal.h pp/trace_states_tasks.c \
	pp/trace_threads.c pp/trace_threads.h \
	pp/trace_who.c pp/trace_who.h \
	pp/trace_stats.c pp/trace_stats.h pp/trace_stats_json.c \
	pp/trace_stats_names.c pp/trace_stats_names.h
bin_PROGRAMS += optrace-read
optrace_read_SOURCES = pp/optrace_read.c pp/optrace_read.h pp/optrace_events.c pp/optrace_stats.c
optrace_read_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
optrace_read_LDADD = pp/libpp.a ctf/libctf.a libdb/libsdb.a lib/libbase.a $(SYMBOLS_LIBS) $(POPT_LIBS) -lm
trace_tests = tests/unit/test_trace_backwards tests/unit/test_trace_line tests/unit/test_trace_distribution tests/unit/test_trace_pids \
	tests/unit/test_trace_states tests/unit/test_trace_states_tasks
check_PROGRAMS += $(trace_tests)
TESTS += $(trace_tests)
tests_unit_test_trace_backwards_SOURCES = tests/unit/test_trace_backwards.c $(ctf_made_trace) \
	$(ctf_test_folder)
tests_unit_test_trace_backwards_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_backwards_LDADD = pp/libpp.a ctf/libctf.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_trace_line_SOURCES = tests/unit/test_trace_line.c
tests_unit_test_trace_line_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_line_LDADD = pp/libpp.a ctf/libctf.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_trace_distribution_SOURCES = tests/unit/test_trace_distribution.c
tests_unit_test_trace_distribution_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_distribution_LDADD = pp/libpp.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_trace_pids_SOURCES = tests/unit/test_trace_pids.c
tests_unit_test_trace_pids_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_pids_LDADD = pp/libpp.a ctf/libctf.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_trace_states_tasks_SOURCES = tests/unit/test_trace_states_tasks.c
tests_unit_test_trace_states_tasks_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_states_tasks_LDADD = pp/libpp.a ctf/libctf.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_trace_states_SOURCES = tests/unit/test_trace_states.c
tests_unit_test_trace_states_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_trace_states_LDADD = pp/libpp.a ctf/libctf.a lib/libbase.a $(TEST_LIBS)

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

top_tests = tests/unit/test_daemon_client tests/unit/test_optop tests/unit/test_top \
	tests/unit/test_top_symbols
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
tests_unit_test_top_symbols_SOURCES = tests/unit/test_top_symbols.c
tests_unit_test_top_symbols_CFLAGS = $(TEST_CFLAGS) -pthread
tests_unit_test_top_symbols_LDADD = $(tests_unit_test_top_LDADD)
tests_unit_test_optop_SOURCES = tests/unit/test_optop.c tests/unit/terminal.c tests/unit/terminal.h \
	$(top_slice_files)
tests_unit_test_optop_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_optop_LDADD = $(DAEMON_TEST_LIBS)
EXTRA_tests_unit_test_optop_DEPENDENCIES = optop

# oparchive: what reports take, for another machine.
pp_libpp_a_SOURCES += \
	pp/archive_content.c pp/archive_content.h \
	pp/archive_slices.c pp/archive_slices.h \
	pp/archive_writer.c pp/archive_writer.h
bin_PROGRAMS += oparchive
dist_man_MANS += doc/man/oparchive.1
oparchive_SOURCES = pp/oparchive.c
oparchive_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
oparchive_LDADD = pp/libpp.a libdb/libsdb.a lib/libbase.a $(SYMBOLS_LIBS) $(POPT_LIBS) \
	$(ARCHIVE_LIBS) -lm
check_PROGRAMS += tests/unit/test_archive
TESTS += tests/unit/test_archive
tests_unit_test_archive_SOURCES = tests/unit/test_archive.c \
	tests/unit/make_session.c tests/unit/make_session.h \
	tests/unit/test_folder.c tests/unit/test_folder.h
tests_unit_test_archive_CFLAGS = $(TEST_CFLAGS) $(ARCHIVE_CFLAGS)
tests_unit_test_archive_LDADD = pp/libpp.a libdb/libsdb.a lib/libbase.a $(SYMBOLS_LIBS) \
	$(ARCHIVE_LIBS) $(TEST_LIBS) -lm
