# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += lib/libbase.a
lib_libbase_a_SOURCES = lib/diag.c lib/diag.h lib/file.c lib/file.h lib/log.c lib/log.h
