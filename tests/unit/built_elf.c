// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/built_elf.h"

#include "lib/file.h"

#include <check.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[256];

void built_elf_init(void)
{
	const char *top = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/oprof-elf.XXXXXX", top ? top : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

void built_elf_deinit(void)
{
	file_remove_tree(folder);
}

const char *built_elf_path(const char *name)
{
	static char paths[8][512];
	static unsigned int next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

void built_elf_write(const char *name, const void *bytes, size_t nr_bytes)
{
	ck_assert_int_eq(file_replace(built_elf_path(name), bytes, nr_bytes, 0755), 0);
}

void built_elf_source(const char *name, const char *text)
{
	built_elf_write(name, text, strlen(text));
}

void built_elf_run(const char *format, ...)
{
	char command[1024], all[1536];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	snprintf(all, sizeof(all), "cd '%s' && { %s; } 2>err || { cat err >&2; exit 1; }", folder,
		 command);
	ck_assert_msg(system(all) == 0, "failed: %s", command);
}
