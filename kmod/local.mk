# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel module is not built here, but on the machine that loads it:
# oprof-module builds it from a source tree that scripts/kmod-tree makes. The
# tree is made in the build folder, for the programs there, and is installed in
# the folder that DKMS searches if the prefix is /usr.
EXTRA_DIST += kmod
module_tree = module-src
module_srcdir = $(prefix)/src/oprof-$(PACKAGE_VERSION)
# All files in these folders, and the folders themselves, so that make notices removed files.
module_sources = $(wildcard $(addprefix $(top_srcdir)/,kmod kmod/* kmod/probes kmod/probes/* kmod/trace kmod/trace/* \
	ring ring/*.[ch] include/oprof include/oprof/*.h))

noinst_DATA += $(module_tree)/dkms.conf
$(module_tree)/dkms.conf: $(module_sources) $(top_srcdir)/scripts/kmod-tree Makefile
	$(AM_V_GEN)rm -rf $(module_tree) && \
		$(SHELL) $(top_srcdir)/scripts/kmod-tree $(module_tree) && \
		sed 's,@VERSION[@],$(PACKAGE_VERSION),g' $(top_srcdir)/kmod/dkms.conf.in >$@.tmp && \
		mv $@.tmp $@

clean-local: clean-module
clean-module:
	rm -rf $(module_tree)

# Installs the tree again from empty, so that no files of an older version remain.
install-data-local: $(module_tree)/dkms.conf
	rm -rf '$(DESTDIR)$(module_srcdir)'
	$(MKDIR_P) '$(DESTDIR)$(module_srcdir)'
	cp -R $(module_tree)/. '$(DESTDIR)$(module_srcdir)'
	chmod -R u=rwX,go=rX '$(DESTDIR)$(module_srcdir)'

uninstall-local:
	rm -rf '$(DESTDIR)$(module_srcdir)'

.PHONY: clean-module

test_programs += \
	tests/unit/kmod/test_kmod_packet_walk \
	tests/unit/kmod/test_stamp_scale
tests_unit_kmod_test_kmod_packet_walk_SOURCES = tests/unit/kmod/test_kmod_packet_walk.c \
	tests/fixture/kmod_types.h kmod/packet_walk.c
tests_unit_kmod_test_kmod_packet_walk_CPPFLAGS = $(AM_CPPFLAGS) -include tests/fixture/kmod_types.h
