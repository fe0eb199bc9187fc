# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/profile/balance.c pp/profile/balance.h \
	pp/profile/image_search.c pp/profile/image_search.h \
	pp/profile/profile.c pp/profile/profile.h \
	pp/profile/profile_details.c pp/profile/profile_details.h \
	pp/profile/profile_inlines.c pp/profile/profile_inlines.h \
	pp/profile/profile_lines.c pp/profile/profile_lines.h \
	pp/profile/profile_merge.c pp/profile/profile_merge.h \
	pp/profile/profile_time.c pp/profile/profile_time.h \
	pp/profile/row_code.c pp/profile/row_code.h \
	pp/profile/row_symbols.c pp/profile/row_symbols.h \
	pp/profile/row_table.c pp/profile/row_table.h \
	pp/profile/share.c pp/profile/share.h \
	pp/profile/symbol_choice.c pp/profile/symbol_choice.h

test_programs += \
	tests/unit/pp/profile/test_profile \
	tests/unit/pp/profile/test_profile_details \
	tests/unit/pp/profile/test_row_code \
	tests/unit/pp/profile/test_row_table \
	tests/unit/pp/profile/test_share
tests_unit_pp_profile_test_profile_SOURCES = tests/unit/pp/profile/test_profile.c $(fake_symbols)
tests_unit_pp_profile_test_profile_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime
tests_unit_pp_profile_test_profile_details_SOURCES = \
	tests/unit/pp/profile/test_profile_details.c $(fake_symbols)
tests_unit_pp_profile_test_row_code_SOURCES = tests/unit/pp/profile/test_row_code.c $(fake_symbols)
tests_unit_pp_profile_test_row_code_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc
