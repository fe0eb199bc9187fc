# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel module's own build, no part of ours; in guests: tests/guest/.
dist_check_SCRIPTS += tests/kmod/test_kmod_build.sh
