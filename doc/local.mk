# SPDX-License-Identifier: GPL-2.0-or-later
# Pages of the formats and the glossary go whole into the tarball. A man page of a program,
# doc/man/NAME.1, is listed in dist_man_MANS by the folder of its program.
EXTRA_DIST += doc
dist_man_MANS += doc/man/oprof.7

# The man pages of the formats, section 5, are made of the pages in doc/ that doc/README.md lists
# under "Formats and interfaces". The tarball has them, so only a clone needs lowdown. Without it,
# existing pages are installed as they are, even if they are older than their sources.
format_pages = \
	doc/man5/oprof-code-table.5 \
	doc/man5/oprof-control-socket.5 \
	doc/man5/oprof-events.5 \
	doc/man5/oprof-kernel-symbols.5 \
	doc/man5/oprof-kmod.5 \
	doc/man5/oprof-kmod-trace.5 \
	doc/man5/oprof-metrics.5 \
	doc/man5/oprof-packets.5 \
	doc/man5/oprof-records.5 \
	doc/man5/oprof-report-json.5 \
	doc/man5/oprof-sample-file.5 \
	doc/man5/oprof-session.5 \
	doc/man5/oprof-slice.5 \
	doc/man5/oprof-stack-file.5 \
	doc/man5/oprof-trace-folder.5
if FORMAT_PAGES
dist_man_MANS += $(format_pages)
endif
MAINTAINERCLEANFILES = $(format_pages)

if LOWDOWN
doc/man5/oprof-%.5: doc/%.md doc/README.md scripts/man-page
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(top_srcdir)/scripts/man-page $< >$@.tmp && mv $@.tmp $@ || \
		{ rm -f $@.tmp; exit 1; }
endif
