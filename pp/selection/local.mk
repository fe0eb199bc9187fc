# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/selection/cgroup_shown.c pp/selection/cgroup_shown.h \
	pp/selection/classes.c pp/selection/classes.h \
	pp/selection/part_match.c pp/selection/part_match.h \
	pp/selection/part_reader.c pp/selection/part_reader.h \
	pp/selection/rows_by.c pp/selection/rows_by.h \
	pp/selection/select_place.c pp/selection/select_place.h \
	pp/selection/selection.c pp/selection/selection.h pp/selection/selection_internal.h \
	pp/selection/selection_error.c pp/selection/selection_error.h \
	pp/selection/selection_order.c \
	pp/selection/selection_share.c \
	pp/selection/selection_walk.c \
	pp/selection/session_dir.c pp/selection/session_dir.h \
	pp/selection/spec.c pp/selection/spec.h

test_programs += \
	tests/unit/pp/selection/test_cgroup_shown \
	tests/unit/pp/selection/test_classes \
	tests/unit/pp/selection/test_rows_by \
	tests/unit/pp/selection/test_selection \
	tests/unit/pp/selection/test_selection_recent \
	tests/unit/pp/selection/test_session_dir \
	tests/unit/pp/selection/test_spec
tests_unit_pp_selection_test_selection_SOURCES = \
	tests/unit/pp/selection/test_selection.c $(fake_symbols)
tests_unit_pp_selection_test_selection_recent_SOURCES = \
	tests/unit/pp/selection/test_selection_recent.c $(fake_symbols)
