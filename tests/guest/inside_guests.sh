# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: a program with libraries, a file, a tree; something to bring
# home; CPUs; a status that is not 0.
uname -r
hello
cat /given/file /tree/below/file
grep -c ^processor /proc/cpuinfo
mkdir -p /out/folder
head -c 100000 /dev/urandom >/out/folder/random
sha256sum </out/folder/random
echo "a line that does not end with one" | tr -d '\n'
exit 3
