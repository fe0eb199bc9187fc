/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file without a name, for intermediate data of an import. The file disappears when it is closed.
 */
#ifndef DAEMON_IMPORT_TEMPORARY_H
#define DAEMON_IMPORT_TEMPORARY_H

#include "lib/diag.h"

/*
 * Opens a file without a name for reading and writing, below TMPDIR or /tmp. Returns its
 * descriptor, or -errno with diag.
 */
int import_temporary_open(struct diag *diag);

#endif
