// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/base/tool_path.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

int tool_path_find(const char *name, char *path, size_t nr_bytes)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length > 0) {
		char *slash;

		self[length] = '\0';
		slash = strrchr(self, '/');
		if (slash)
			*slash = '\0';
		if (snprintf(path, nr_bytes, "%s/%s", self, name) < (int)nr_bytes &&
		    is_program(path))
			return 0;
	}
	if (snprintf(path, nr_bytes, "%s/%s", OPROF_LIBEXEC_DIR, name) < (int)nr_bytes &&
	    is_program(path))
		return 0;
	return -ENOENT;
}

static int judge_command(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOTDIR ? -ENOENT : -errno;
	return is_program(path) ? 0 : -EACCES;
}

int tool_path_command(const char *name, char found[PATH_MAX])
{
	const char *paths = getenv("PATH");
	int error = -ENOENT;

	if (!*name)
		return -ENOENT;
	if (strchr(name, '/')) {
		if (found && snprintf(found, PATH_MAX, "%s", name) >= PATH_MAX)
			return -ENAMETOOLONG;
		return judge_command(name);
	}
	if (!paths)
		paths = "/bin:/usr/bin";
	while (true) {
		char path[PATH_MAX];
		size_t length = strcspn(paths, ":");
		int one = -ENOENT;

		/* An empty part of PATH means the current folder. */
		if (snprintf(path, sizeof(path), "%.*s%s%s", (int)length, paths, length ? "/" : "",
			     name) < (int)sizeof(path))
			one = judge_command(path);
		if (!one) {
			if (found)
				memcpy(found, path, strlen(path) + 1);
			return 0;
		}
		if (one == -EACCES)
			error = one;
		if (!paths[length])
			return error;
		paths += length + 1;
	}
}
