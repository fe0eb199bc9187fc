# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: how many CPUs, and how many of the given words.
echo "$(grep -c ^processor /proc/cpuinfo) $(grep -c oprof_word /proc/cmdline)"
