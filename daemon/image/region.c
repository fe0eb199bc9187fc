// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/region.h"

#include "daemon/image/vdso.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static const char deleted[] = " (deleted)";

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

bool region_is_unfiled(const char *path)
{
	if (begins(path, "/dev/"))
		return !begins(path, "/dev/shm/") && !begins(path, "/dev/hugepages/");
	return begins(path, "/SYSV") || begins(path, "/anon_hugepage") || begins(path, "/[aio]") ||
	       begins(path, "anon_inode:") || begins(path, "/drm mm object") ||
	       begins(path, "/i915");
}

/*
 * Returns whether the region is a mapped file. A memfd counts as a file only if it is run as a
 * program or has a build-id.
 */
static bool is_file(const struct region_told *told)
{
	if (told->path[0] != '/' || begins(told->path, "//") || region_is_unfiled(told->path))
		return false;
	if (begins(told->path, "/memfd:"))
		return told->exec_image || told->identity.nr_build_id;
	return true;
}

/*
 * Copies path, but not the text " (deleted)" at its end. This text is not needed: the identity
 * decides whether a file at this path is the image.
 */
static void copy_undeleted(char *to, const char *path)
{
	size_t nr = strnlen(path, PATH_MAX - 1);
	size_t tail = sizeof(deleted) - 1;

	if (nr > tail && !memcmp(path + nr - tail, deleted, tail))
		nr -= tail;
	memcpy(to, path, nr);
	to[nr] = '\0';
}

/* The resulting name contains no '/'. */
void region_name(char *to, const char *path)
{
	if (!*path || begins(path, "//anon") || begins(path, "[anon"))
		path = "anon";
	else if (begins(path, "[stack"))
		path = "[stack]";
	while (*path == '/')
		path++;
	copy_undeleted(to, path);
	for (; *to; to++)
		if (*to == '/')
			*to = '_';
}

struct image_entry *region_file_image(const struct region_maker *maker, const char *path,
				      const struct oprof_image_identity *identity)
{
	char undeleted[PATH_MAX];
	struct image_key key = {.kind = OPROF_IMAGE_FILE, .path = undeleted, .identity = identity};

	copy_undeleted(undeleted, path);
	return image_table_get(maker->images, &key);
}

/*
 * A vdso whose size is not that of this machine's vdso has another word size. Its identity is only
 * its size.
 */
struct image_entry *region_vdso_image(const struct region_maker *maker, uint64_t nr_bytes)
{
	struct oprof_image_identity identity = {.size_bytes = nr_bytes};
	struct image_key key = {.kind = OPROF_IMAGE_VDSO, .path = "[vdso]", .identity = &identity};

	if (!nr_bytes || nr_bytes == maker->vdso->nr_bytes)
		identity = maker->vdso->identity;
	return image_table_get(maker->images, &key);
}

bool region_file(const struct region_told *told, struct mapped_file *file)
{
	const struct oprof_image_identity *identity = &told->identity;

	*file = (struct mapped_file){
		{told->path, identity->dev, identity->inode, identity->inode_generation},
		told->map_path};
	return is_file(told) && !identity->nr_build_id;
}

static struct image_entry *file_image(const struct region_maker *maker,
				      const struct region_told *told)
{
	struct oprof_image_identity identity = told->identity;
	struct mapped_file file;

	if (region_file(told, &file))
		image_alias_identify(maker->aliases, &file, told->tgid, told->time_ns, &identity);
	return region_file_image(maker, told->path, &identity);
}

static struct image_entry *vdso_image(const struct region_maker *maker,
				      const struct region_told *told)
{
	struct image_key key = {
		.kind = OPROF_IMAGE_VDSO, .path = "[vdso]", .identity = &told->identity};

	if (told->identity.nr_build_id)
		return image_table_get(maker->images, &key);
	return region_vdso_image(maker, told->end - told->start);
}

int region_make(const struct region_maker *maker, const struct region_told *told,
		struct mapping *mapping)
{
	char name[PATH_MAX];
	struct image_key key = {.kind = OPROF_IMAGE_ANON, .path = name};

	*mapping = (struct mapping){.start = told->start, .end = told->end};
	if (is_file(told)) {
		mapping->image = file_image(maker, told);
		mapping->offset = told->file_offset;
	} else if (!strcmp(told->path, "[vdso]")) {
		mapping->image = vdso_image(maker, told);
	} else {
		region_name(name, told->path);
		mapping->image = image_table_get(maker->images, &key);
	}
	return mapping->image ? 0 : -ENOMEM;
}

/* The request is the path with a NUL. */
int region_name_look(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	struct oprof_image_identity identity = {.nr_build_id = 0};
	struct stat st;

	(void)nr_bytes;
	if (stat(request, &st))
		return -errno;
	identity.dev = image_alias_dev(major(st.st_dev), minor(st.st_dev));
	identity.inode = st.st_ino;
	return slow_answer_put(answer, &identity, sizeof(identity));
}

int region_name_file(const struct region_maker *maker, pid_t tgid, const char *path,
		     struct oprof_image_identity *identity)
{
	struct slow_reply reply;
	int error = slow_reader_call(maker->aliases->reader, region_name_look, tgid, path,
				     strlen(path) + 1, &reply);

	*identity = (struct oprof_image_identity){.nr_build_id = 0};
	if (!error && reply.nr_bytes == sizeof(*identity))
		memcpy(identity, reply.bytes, sizeof(*identity));
	else if (!error)
		error = -EIO;
	slow_reply_deinit(&reply);
	return error;
}
