# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/top/top.c pp/top/top.h \
	pp/top/top_options.c pp/top/top_options.h \
	pp/top/top_rows.c pp/top/top_rows.h \
	pp/top/top_samples.c pp/top/top_samples.h \
	pp/top/top_symbols.c pp/top/top_symbols.h \
	pp/top/top_text.c pp/top/top_text.h

test_programs += \
	tests/unit/pp/top/test_top \
	tests/unit/pp/top/test_top_symbols
