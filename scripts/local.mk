# SPDX-License-Identifier: GPL-2.0-or-later
# The house: gates that need no compiler, and what goes into the tarball
# besides sources.
EXTRA_DIST += scripts/check-files scripts/check-includes scripts/lint \
	scripts/lint-file scripts/list-files scripts/setup \
	.ci/run .clang-format .clang-tidy .gitignore .shellcheckrc autogen.sh \
	LICENSES/GPL-2.0.txt LICENSES/GPL-3.0.txt LICENSES/MIT.txt

house_tests = tests/house/test_files.sh tests/house/test_includes.sh
dist_check_SCRIPTS += $(house_tests)
TESTS += $(house_tests)

.PHONY: lint
lint:
	$(top_srcdir)/scripts/lint
