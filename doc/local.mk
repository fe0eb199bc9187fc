# SPDX-License-Identifier: GPL-2.0-or-later
# Pages of the formats and the glossary go whole into the tarball. A man page of a program,
# doc/man/NAME.1, is listed in dist_man_MANS by the folder of its program.
EXTRA_DIST += doc
dist_man_MANS += doc/man/oprof.7
