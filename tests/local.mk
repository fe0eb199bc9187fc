# SPDX-License-Identifier: GPL-2.0-or-later
# End-to-end tests, tests/e2e/test_*.sh, and tests in guests, tests/guest/test_*.sh,
# are run by scripts/check, not by make check: they profile the machine, or boot
# an emulated one, one at a time.
EXTRA_DIST += tests/e2e tests/guest tests/page tests/data

include tests/fixture/local.mk
include tests/fuzz/local.mk
include tests/kills/local.mk
include tests/kmod/local.mk
include tests/ring/local.mk
include tests/stress/local.mk
include tests/tools/local.mk
