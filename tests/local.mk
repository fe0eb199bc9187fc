# SPDX-License-Identifier: GPL-2.0-or-later
# End-to-end tests, tests/e2e/test_*.sh, are run by scripts/check, not by make
# check: they profile the machine, one at a time.
noinst_HEADERS += tests/unit/run_suite.h tests/unit/stay_on_cpu.h
EXTRA_DIST += tests/e2e
EXTRA_DIST += tests/unit/packet_decode.c tests/unit/packet_decode.h
