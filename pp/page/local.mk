# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/page/format_page.c pp/page/format_page.h \
	pp/page/page_code.c pp/page/page_code.h \
	pp/page/page_code_load.c \
	pp/page/page_data.c pp/page/page_data.h \
	pp/page/page_template.h \
	pp/page/page_tree.c pp/page/page_tree.h

# The files of the page that opreport --html writes are joined into one text, which becomes a C
# array.
page_scripts = data.js tree.js heat.js flame.js table.js panel.js page.js
page_files = pp/page/page.html pp/page/page.css \
	pp/page/data.js pp/page/tree.js pp/page/heat.js pp/page/flame.js pp/page/table.js \
	pp/page/panel.js pp/page/page.js pp/page/join.awk pp/page/bytes.awk
EXTRA_DIST += $(page_files)
nodist_pp_libpp_a_SOURCES += pp/page/page_template.c
CLEANFILES += pp/page/page_template.c
pp/page/page_template.c: $(page_files)
	$(AM_V_at)$(MKDIR_P) pp/page
	$(AM_V_GEN)$(AWK) -v folder='$(srcdir)/pp/page' -v scripts='$(page_scripts)' \
		-f '$(srcdir)/pp/page/join.awk' '$(srcdir)/pp/page/page.html' >$@.joined && \
	od -An -v -tu1 $@.joined | $(AWK) -f '$(srcdir)/pp/page/bytes.awk' >$@.new && \
	rm -f $@.joined && mv $@.new $@

test_programs += \
	tests/unit/pp/page/test_format_page
tests_unit_pp_page_test_format_page_SOURCES = tests/unit/pp/page/test_format_page.c $(fake_symbols)
