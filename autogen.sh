#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Make configure from configure.ac. Then: mkdir build; cd build; ../configure; make
cd "$(dirname "$0")" && exec autoreconf --install --force
