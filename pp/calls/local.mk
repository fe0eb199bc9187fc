# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/calls/call_functions.c pp/calls/call_functions.h \
	pp/calls/call_graph.c \
	pp/calls/call_names.c pp/calls/call_names.h \
	pp/calls/call_places.c pp/calls/call_places.h \
	pp/calls/call_spread.c pp/calls/call_spread.h \
	pp/calls/call_stacks.c pp/calls/call_stacks.h \
	pp/calls/call_tree.c pp/calls/call_tree.h

test_programs += \
	tests/unit/pp/calls/test_call_places \
	tests/unit/pp/calls/test_call_spread \
	tests/unit/pp/calls/test_call_tree
tests_unit_pp_calls_test_call_places_SOURCES = \
	tests/unit/pp/calls/test_call_places.c $(fake_symbols)
tests_unit_pp_calls_test_call_tree_SOURCES = tests/unit/pp/calls/test_call_tree.c $(fake_symbols)
