# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/symbols/code_names.c pp/symbols/code_names.h \
	pp/symbols/debug_fetch.c pp/symbols/debug_fetch.h \
	pp/symbols/debug_file.c pp/symbols/debug_file.h \
	pp/symbols/demangle.c \
	pp/symbols/file_opener.c pp/symbols/file_opener.h \
	pp/symbols/file_place.c pp/symbols/file_place.h \
	pp/symbols/kernel_symbols.c pp/symbols/kernel_symbols.h \
	pp/symbols/mini_symbols.c pp/symbols/mini_symbols.h \
	pp/symbols/symbol_cache.c pp/symbols/symbol_cache.h \
	pp/symbols/symbol_file.c pp/symbols/symbol_file.h \
	pp/symbols/symbol_helper.c pp/symbols/symbol_helper.h \
	pp/symbols/symbol_image.c pp/symbols/symbol_image.h \
	pp/symbols/symbol_list.c pp/symbols/symbol_list.h \
	pp/symbols/symbol_plt.c pp/symbols/symbol_plt.h \
	pp/symbols/symbol_reader.c pp/symbols/symbol_reader.h \
	pp/symbols/symbol_wire.c pp/symbols/symbol_wire.h \
	pp/symbols/symbols.c pp/symbols/symbols.h

test_programs += \
	tests/unit/pp/symbols/test_code_names \
	tests/unit/pp/symbols/test_debug_file \
	tests/unit/pp/symbols/test_demangle \
	tests/unit/pp/symbols/test_file_opener \
	tests/unit/pp/symbols/test_kernel_symbols \
	tests/unit/pp/symbols/test_symbol_cache \
	tests/unit/pp/symbols/test_symbol_helper \
	tests/unit/pp/symbols/test_symbol_image \
	tests/unit/pp/symbols/test_symbol_list \
	tests/unit/pp/symbols/test_symbol_reader \
	tests/unit/pp/symbols/test_symbol_wire \
	tests/unit/pp/symbols/test_symbols
