# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/code/code_bytes.c pp/code/code_bytes.h \
	pp/code/code_functions.c pp/code/code_functions.h \
	pp/code/code_reader.c pp/code/code_reader.h \
	pp/code/disassembly.c pp/code/disassembly.h \
	pp/code/disassembly_reader.c pp/code/disassembly_reader.h \
	pp/code/disassembly_wire.c pp/code/disassembly_wire.h \
	pp/code/instruction.c pp/code/instruction.h

test_programs += \
	tests/unit/pp/code/test_code_bytes \
	tests/unit/pp/code/test_code_functions \
	tests/unit/pp/code/test_disassembly
