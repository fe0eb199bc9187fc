# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel compiles the ring: its own build, no part of ours.
ring_tests = tests/ring/test_kernel_build.sh
dist_check_SCRIPTS += $(ring_tests)
TESTS += $(ring_tests)
EXTRA_DIST += tests/ring/kernel
