# SPDX-License-Identifier: GPL-2.0-or-later
# Pages of the formats and the glossary go whole into the tarball. A man page,
# doc/man/NAME.1, is listed in dist_man_MANS by the folder of its program.
EXTRA_DIST += doc
