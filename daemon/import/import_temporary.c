// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/import_temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int import_temporary_open(struct diag *diag)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	int fd;

	folder = folder && *folder ? folder : "/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
		if (snprintf(path, sizeof(path), "%s/oprof-import.XXXXXX", folder) <
		    (int)sizeof(path))
			fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0)
			(void)unlink(path);
	}
	return fd >= 0 ? fd
		       : diag_set_at(diag, -errno, folder, 0, "cannot create a temporary file: %s",
				     strerror(errno));
}
