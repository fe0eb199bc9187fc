# SPDX-License-Identifier: GPL-2.0-or-later
# The house: gates that need no compiler, and what goes into the tarball
# besides sources.
EXTRA_DIST += scripts tests/workload tests/repeat-list tests/mutants-equivalent LICENSES .ci .clang-format \
	.clang-tidy .gitignore .shellcheckrc autogen.sh README.md ARCHITECTURE.md CONTRIBUTING.md HACKING.md SECURITY.md NEWS COPYING

# They test scripts, so scripts/check leaves them out where programs are built once more.
house_tests = \
	tests/house/test_check.sh \
	tests/house/test_files.sh \
	tests/house/test_guest_log.sh \
	tests/house/test_includes.sh \
	tests/house/test_lint.sh \
	tests/house/test_man_pages.sh \
	tests/house/test_module_tree.sh \
	tests/house/test_mutants.sh \
	tests/house/test_repeat.sh \
	tests/house/test_setup.sh
dist_check_SCRIPTS += $(house_tests)

lint:
	$(top_srcdir)/scripts/lint
