/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file without a name, for what an import makes on its way: nothing is left of it. */
#ifndef DAEMON_IMPORT_TEMPORARY_H
#define DAEMON_IMPORT_TEMPORARY_H

#include "lib/diag.h"

/* Below TMPDIR or /tmp, to be read and written: its descriptor, or -errno with diag. */
int import_temporary_open(struct diag *diag);

#endif
