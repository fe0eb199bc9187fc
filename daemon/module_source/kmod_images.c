// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/module_source/kmod_images.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define RETRY_NS UINT64_C(1000000000)
#define NEVER	 UINT64_MAX

static int open_by_module(int buffer_fd, uint32_t cookie)
{
	struct oprof_kmod_image_open request = {.image = cookie, .fd = -1};

	return ioctl(buffer_fd, OPROF_KMOD_IMAGE_OPEN, &request) ? -errno : request.fd;
}

int kmod_images_init(struct kmod_images *images, struct places *places, kmod_image_open_fn *open)
{
	*images = (struct kmod_images){
		.places = places, .open = open ? open : open_by_module, .buffer_fd = -1};
	return node_hash_init(&images->images);
}

static void image_free(struct kmod_images *images, struct kmod_image *image)
{
	node_hash_remove(&images->images, &image->node);
	image_put(image->entry);
	free(image);
}

void kmod_images_deinit(struct kmod_images *images)
{
	struct node *node;

	if (!images->images.buckets)
		return;
	while ((node = node_hash_any(&images->images)))
		image_free(images, node_owner(node, struct kmod_image, node));
	node_hash_deinit(&images->images);
}

struct kmod_image *kmod_images_find(const struct kmod_images *images, uint32_t cookie)
{
	struct node *node = node_hash_first(&images->images, hash_number(cookie));

	for (; node; node = node_hash_next(node)) {
		struct kmod_image *image = node_owner(node, struct kmod_image, node);

		if (image->cookie == cookie)
			return image;
	}
	return NULL;
}

bool kmod_images_remove(struct kmod_images *images, uint32_t cookie)
{
	struct kmod_image *image = kmod_images_find(images, cookie);

	if (image)
		image_free(images, image);
	return image;
}

/* ---- files ---- */

/*
 * Returns the image of memory whose name only looks like the name of a file; NULL if out of memory.
 */
static struct image_entry *unfiled_image(const struct places *places, const char *path)
{
	char name[PATH_MAX];
	struct image_key key = {.kind = OPROF_IMAGE_ANON, .path = name};

	region_name(name, path);
	return image_table_get(places->regions.images, &key);
}

/*
 * Requests the file's symbols and its code table from the keeper, if they are due. Call this while
 * the file is open, since the file may be removed later.
 */
static void keep_file(struct places *places, struct image_entry *entry, int fd, uint64_t now_ns)
{
	static const int32_t nobody[KEEPER_PIDS];

	if (!image_tell(entry))
		return;
	if (now_ns >= entry->keep_due_ns)
		image_keep_want(&places->keep, entry, nobody, 0, fd, now_ns);
	if (image_code_is_due(&places->code_tables, entry, now_ns))
		image_keep_want_code(&places->keep, entry, nobody, 0, fd, now_ns);
}

/* Returns the image of the file at fd; NULL if out of memory. */
static struct image_entry *image_of_fd(struct places *places, int fd,
				       const struct oprof_image_identity *told, uint64_t now_ns)
{
	struct oprof_image_identity identity;
	char self[64], path[PATH_MAX];
	struct file_name file = {
		.path = path,
		.dev = told->dev,
		.inode = told->inode,
		.inode_generation = told->inode_generation,
	};
	struct image_entry *entry;
	ssize_t nr;

	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	nr = readlink(self, path, sizeof(path) - 1);
	path[nr < 0 ? 0 : nr] = '\0';
	if (path[0] != '/' || region_is_unfiled(path))
		return unfiled_image(places, path);
	image_alias_identify_fd(fd, &file, &identity);
	entry = region_file_image(&places->regions, path, &identity);
	if (entry)
		keep_file(places, entry, fd, now_ns);
	return entry;
}

static bool may_succeed_later(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -EINTR;
}

static void resolve_file(struct kmod_images *images, struct kmod_image *image, uint64_t now_ns)
{
	int fd = images->open(images->buffer_fd, image->cookie);

	image->retry_ns = NEVER;
	if (fd < 0 && may_succeed_later(fd))
		image->retry_ns = now_ns + RETRY_NS;
	else if (fd < 0)
		images->nr_unopened++;
	if (fd < 0)
		return;
	image->entry = image_of_fd(images->places, fd, &image->told, now_ns);
	if (!image->entry) /* out of memory */
		image->retry_ns = now_ns + RETRY_NS;
	(void)close(fd);
}

struct image_entry *kmod_image_entry(struct kmod_images *images, struct kmod_image *image,
				     uint64_t now_ns)
{
	if (!image->entry && image->kind == OPROF_IMAGE_FILE && now_ns >= image->retry_ns &&
	    image->retry_ns != NEVER)
		resolve_file(images, image, now_ns);
	return image->entry;
}

/* ---- records ---- */

static struct image_entry *region_image(const struct places *places,
					const struct oprof_kmod_image *record, const char *path)
{
	char name[PATH_MAX];

	region_name(name, path);
	return image_table_get_region(places->regions.images, name, record->tgid, record->start,
				      record->end);
}

/* Returns 0 or -errno. */
static int resolve(struct kmod_images *images, struct kmod_image *image,
		   const struct oprof_kmod_image *record, const char *name, uint64_t now_ns)
{
	switch (image->kind) {
	case OPROF_IMAGE_FILE:
		resolve_file(images, image, now_ns);
		return 0;
	case OPROF_IMAGE_VDSO:
		image->entry =
			region_vdso_image(&images->places->regions, record->end - record->start);
		return image->entry ? 0 : -ENOMEM;
	case OPROF_IMAGE_ANON:
		image->entry = region_image(images->places, record, name);
		return image->entry ? 0 : -ENOMEM;
	case OPROF_IMAGE_MODULE:
		return 0;
	default:
		return -EINVAL;
	}
}

static bool has_range(const struct oprof_kmod_image *record)
{
	return record->kind != OPROF_IMAGE_ANON ||
	       (record->end > record->start && record->tgid >= 0);
}

int kmod_images_add(struct kmod_images *images, const struct oprof_kmod_image *record,
		    const char *name, uint64_t now_ns)
{
	struct kmod_image *image;
	int error;

	if (record->image == OPROF_IMAGE_NONE || record->end < record->start ||
	    !has_range(record) || kmod_images_find(images, record->image))
		return -EINVAL;
	image = calloc(1, sizeof(*image));
	if (!image)
		return -ENOMEM;
	image->cookie = record->image;
	image->kind = record->kind;
	if (image->kind == OPROF_IMAGE_ANON && !strcmp(name, "[vdso]"))
		image->kind = OPROF_IMAGE_VDSO;
	image->start = record->start;
	image->end = record->end;
	image->told.dev = record->dev;
	image->told.inode = record->inode;
	image->told.inode_generation = record->inode_generation;
	error = resolve(images, image, record, name, now_ns);
	if (error) {
		free(image);
		return error;
	}
	node_hash_add(&images->images, &image->node, hash_number(image->cookie));
	return 0;
}
