// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/fake_proc.h"

#include "lib/file.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fake_proc_init(struct fake_proc *proc)
{
	strcpy(proc->path, "/tmp/fake_proc.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(proc->path));
}

void fake_proc_deinit(struct fake_proc *proc)
{
	ck_assert_int_eq(file_remove_tree(proc->path), 0);
}

void fake_proc_write(const struct fake_proc *proc, const char *path, const void *text,
		     unsigned long nr_bytes)
{
	char whole[FAKE_PROC_PATH_BYTES];

	ck_assert_int_lt(snprintf(whole, sizeof(whole), "%s/%s", proc->path, path),
			 (int)sizeof(whole));
	ck_assert_int_eq(file_make_parent_dirs(whole, 0700), 0);
	ck_assert_int_eq(file_replace(whole, text, nr_bytes, 0600), 0);
}

void fake_proc_print(const struct fake_proc *proc, const char *path, const char *format, ...)
{
	char *text;
	va_list args;
	int nr;

	va_start(args, format);
	nr = vasprintf(&text, format, args);
	va_end(args);
	ck_assert_int_ge(nr, 0);
	fake_proc_write(proc, path, text, (unsigned long)nr);
	free(text);
}

static void write_stat(const struct fake_proc *proc, const char *folder, int pid, char state,
		       unsigned int flags)
{
	char path[256];

	/* A name as nasty as they come. */
	snprintf(path, sizeof(path), "%s/stat", folder);
	fake_proc_print(proc, path,
			"%d (a) Z 1 (b) %c 1 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0\n", pid,
			state, flags, pid * 10);
}

static void write_thread(const struct fake_proc *proc, int pid, int tid, char state,
			 unsigned int flags, const char *exe, const char *maps)
{
	char folder[128];
	char path[FAKE_PROC_PATH_BYTES];

	snprintf(folder, sizeof(folder), "%d/task/%d", pid, tid);
	write_stat(proc, folder, tid, state, flags);
	snprintf(path, sizeof(path), "%s/maps", folder);
	fake_proc_print(proc, path, "%s", maps);
	if (!exe)
		return;
	snprintf(path, sizeof(path), "%s/%s/exe", proc->path, folder);
	(void)unlink(path);
	ck_assert_int_eq(symlink(exe, path), 0);
}

void fake_proc_process(const struct fake_proc *proc, int pid, unsigned int flags, const char *exe,
		       const char *maps)
{
	char folder[64];

	snprintf(folder, sizeof(folder), "%d", pid);
	write_stat(proc, folder, pid, 'S', flags);
	write_thread(proc, pid, pid, 'S', flags, exe, maps);
}

void fake_proc_thread(const struct fake_proc *proc, int pid, int tid, char state, const char *exe,
		      const char *maps)
{
	write_thread(proc, pid, tid, state, 0, exe, maps);
}

void fake_proc_remove(const struct fake_proc *proc, int pid)
{
	char path[FAKE_PROC_PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%d", proc->path, pid);
	ck_assert_int_eq(file_remove_tree(path), 0);
}
