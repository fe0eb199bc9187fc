// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/image_code.h"

#include "daemon/image/table_folder.h"
#include "daemon/image/vdso.h"
#include "lib/file.h"
#include "lib/log.h"
#include "libdb/sample_name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEVER UINT64_MAX
/*
 * If no process had the file any more, the table is requested again after this pause. The pause
 * doubles each time.
 */
#define AGAIN_NS       UINT64_C(20000000)
#define AGAIN_FAILED   UINT64_C(30000000000)
#define DOUBLINGS      12u
#define VDSO_BYTES_MAX (UINT64_C(1) << 20)

void image_code_init(struct image_code *code)
{
	*code = (struct image_code){.on = false};
}

void image_code_deinit(struct image_code *code)
{
	code_table_close(code->vdso);
	free(code->path);
	image_code_init(code);
}

/*
 * Builds the vdso's table. Returns NULL if the table cannot be built. The bytes come from the
 * kernel, so no confined child process is needed.
 */
static struct code_table *vdso_table(const struct vdso *vdso)
{
	struct code_table *table = NULL;
	int from = memfd_create("vdso", MFD_CLOEXEC);
	int to = memfd_create("vdso-code", MFD_CLOEXEC);
	struct diag diag;

	diag_clear(&diag);
	if (from >= 0 && to >= 0 && !file_write_all(from, vdso->bytes, vdso->nr_bytes) &&
	    !code_table_build_vdso(from, to, VDSO_BYTES_MAX, &diag) &&
	    code_table_open(&table, to, &diag))
		table = NULL;
	if (from >= 0)
		(void)close(from);
	if (to >= 0)
		(void)close(to);
	return table;
}

int image_code_begin(struct image_code *code, const char *path, const struct vdso *vdso)
{
	if (path) {
		code->path = strdup(path);
		if (!code->path)
			return -ENOMEM;
	}
	if (vdso->bytes)
		code->vdso = vdso_table(vdso);
	code->vdso_of = vdso;
	code->on = true;
	return 0;
}

static bool is_our_vdso(const struct image_code *code, const struct image_entry *entry)
{
	const struct oprof_image_identity *identity = &entry->image.identity;
	const struct oprof_image_identity *ours = &code->vdso_of->identity;

	if (ours->nr_build_id)
		return identity->nr_build_id == ours->nr_build_id &&
		       !memcmp(identity->build_id, ours->build_id, ours->nr_build_id);
	return !identity->nr_build_id && identity->size_bytes == ours->size_bytes;
}

const struct code_table *image_code_of(const struct image_code *code,
				       const struct image_entry *entry)
{
	if (entry->image.kind != OPROF_IMAGE_VDSO || !code->on)
		return entry->code;
	/*
	 * The table is valid only for this machine's vdso. Other images of this kind, such as
	 * [vsyscall], have another size.
	 */
	return is_our_vdso(code, entry) ? code->vdso : NULL;
}

static bool entry_path(const struct image_code *code, const struct image_entry *entry, char *path)
{
	char name[TABLE_FOLDER_NAME_BYTES];

	table_folder_name(sample_identity(&entry->image.identity), name);
	return code->path && snprintf(path, PATH_MAX, "%s/%s", code->path, name) < PATH_MAX;
}

static int entry_open(struct image_entry *entry, int fd, struct diag *diag)
{
	int error;

	diag_clear(diag);
	error = code_table_open(&entry->code, fd, diag);
	if (error)
		entry->code = NULL;
	return error;
}

/*
 * Call when the table's file in the folder is damaged, or was written by a newer or older program.
 * Removes the file, so that the table is built again. If the file cannot be removed, the table is
 * built in memory, since each request would find the unusable file again.
 */
static void put_aside(struct image_code *code, struct image_entry *entry, const char *path,
		      const struct diag *diag)
{
	entry->code_in_memory = unlink(path) && errno != ENOENT;
	if (!code->told_damage)
		log_warning("code table %s is unusable (%s): building it again", path,
			    diag_show(diag));
	code->told_damage = true;
}

bool image_code_find(struct image_code *code, struct image_entry *entry)
{
	char path[PATH_MAX];
	struct diag diag;
	int error, fd;

	code->counters.wanted += !entry->code_wanted;
	entry->code_wanted = true;
	if (entry->code_in_memory || !entry_path(code, entry, path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	error = entry_open(entry, fd, &diag);
	if (error) {
		if (error != -ENOMEM)
			put_aside(code, entry, path, &diag);
	} else {
		/*
		 * Set the file's time to now, since the tables with the oldest times are removed
		 * first.
		 */
		(void)futimens(fd, NULL);
		code->counters.found++;
	}
	(void)close(fd);
	return !error;
}

static void settle(struct image_entry *entry, uint64_t *counter)
{
	++*counter;
	entry->code_due_ns = NEVER;
}

static void note_gone(const struct image_code *code, struct image_entry *entry, uint64_t now_ns)
{
	entry->code_due_ns = code->recorded ? NEVER : now_ns + (AGAIN_NS << entry->code_tries);
	if (entry->code_tries < DOUBLINGS)
		entry->code_tries++;
}

static void note_failed(struct image_code *code, struct image_entry *entry, int error,
			uint64_t now_ns)
{
	if (!code->counters.failed++)
		log_error("cannot store the code table of %s: %s", entry->image.path,
			  strerror(-error));
	entry->code_due_ns = code->recorded ? NEVER : now_ns + AGAIN_FAILED;
}

static void take_table(struct image_code *code, struct image_entry *entry, int fd, uint64_t now_ns)
{
	struct diag diag;
	int error = fd < 0 ? -EMFILE : entry_open(entry, fd, &diag);

	if (!error) {
		code->counters.built++;
	} else if (error == -ENOMEM || error == -EMFILE) {
		note_failed(code, entry, error, now_ns);
	} else if (entry->code_in_memory) {
		settle(entry, &code->counters.unreadable);
	} else { /* the table from the folder is unusable: try again in memory */
		entry->code_in_memory = true;
		entry->code_due_ns = now_ns;
	}
}

void image_code_take(struct image_code *code, struct image_entry *entry,
		     const struct keeper_answer *answer, int fd, uint64_t now_ns)
{
	/* If the table was requested twice, the second answer is ignored. */
	if (!entry->code_asked)
		return;
	entry->code_asked = false;
	switch ((enum keeper_result)answer->result) {
	case KEEPER_THERE:
	case KEEPER_KEPT:
		take_table(code, entry, fd, now_ns);
		return;
	case KEEPER_GONE:
		note_gone(code, entry, now_ns);
		return;
	case KEEPER_NONE:
		settle(entry, &code->counters.none);
		return;
	case KEEPER_TOO_BIG:
	case KEEPER_UNREADABLE:
		settle(entry, &code->counters.unreadable);
		return;
	case KEEPER_FULL:
	case KEEPER_FAILED:
		note_failed(code, entry, answer->error, now_ns);
		return;
	}
}
