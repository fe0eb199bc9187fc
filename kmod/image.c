// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/image.h"

#include <linux/cred.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/hash.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/slab.h>

#include "kmod/compat.h"
#include "kmod/generation.h"
#include "kmod/stats.h"
#include "kmod/tell.h"
#include "oprof/sample_file.h"

#define BUCKETS_ORDER 13
#define NR_BUCKETS    (1u << BUCKETS_ORDER)
/* Maximum number of vdso sizes; 64-bit and 32-bit programs have vdsos of different sizes. */
#define NR_VDSOS 4
/* End address of the region that stands for all regions beyond IMAGE_NR_REGIONS_MAX. */
#define USER_END (1ull << 63)

/* The last possible cookie: OPROF_IMAGE_COOKIE_OFF_CPU is the next number. */
#define COOKIE_LAST (OPROF_IMAGE_COOKIE_OFF_CPU - 1)

struct file_key {
	u64 dev, inode, inode_generation;
	s64 mtime_ns;
	u64 bytes;
};

/* Whether the daemon has opened the file of the image. */
enum image_state {
	IMAGE_HELD,  /* not opened: the image has a reference to path */
	IMAGE_TAKEN, /* opened: the image has no reference to path */
};

struct held_image {
	struct hlist_node by_key, by_cookie;
	struct list_head used; /* least recently used first */
	struct file_key key;
	u32 cookie;
	enum image_state state;
	struct path path;
};

struct region {
	struct list_head node;
	u64 start, end; /* as reported */
	u32 cookie;
	char name[];
};

/*
 * Protects by_cookie, and the state and path of the images in by_cookie. The
 * worker holds the mutex to change them; image_open_file() holds it to read
 * them and to change state and path. Only the worker uses the other members.
 * The mutex may be taken while an mmap lock is held; therefore its holder must
 * not cause page faults or wait.
 */
static DEFINE_MUTEX(images_mutex);
static struct {
	struct hlist_head *by_key, *by_cookie;
	struct list_head used;
	u32 nr;
	u32 last_cookie;
	unsigned int nr_vdsos;
	struct {
		u64 bytes;
		u32 cookie;
	} vdsos[NR_VDSOS];
} images;

int image_open(void)
{
	images.by_key = kvcalloc(2 * NR_BUCKETS, sizeof(*images.by_key), GFP_KERNEL);
	if (!images.by_key)
		return -ENOMEM;
	images.by_cookie = images.by_key + NR_BUCKETS;
	INIT_LIST_HEAD(&images.used);
	images.nr = 0;
	images.last_cookie = OPROF_IMAGE_NONE;
	images.nr_vdsos = 0;
	return 0;
}

static struct hlist_head *key_bucket(const struct file_key *key)
{
	return &images.by_key[hash_64(key->inode + (key->dev << 24) + (u64)key->mtime_ns,
				      BUCKETS_ORDER)];
}

static struct hlist_head *cookie_bucket(u32 cookie)
{
	return &images.by_cookie[hash_32(cookie, BUCKETS_ORDER)];
}

static void image_free(struct held_image *image)
{
	bool was_held;

	mutex_lock(&images_mutex);
	hlist_del(&image->by_cookie);
	was_held = image->state == IMAGE_HELD;
	mutex_unlock(&images_mutex);
	hlist_del(&image->by_key);
	list_del(&image->used);
	images.nr--;
	if (was_held)
		path_put(&image->path);
	kfree(image);
}

void image_close(void)
{
	struct held_image *image, *next;

	list_for_each_entry_safe(image, next, &images.used, used) image_free(image);
	kvfree(images.by_key);
	images.by_key = NULL;
}

/*
 * Finds the next free cookie, which remains free until cookie_tell() reports
 * it. -ENOMEM: all cookies are used.
 */
static int cookie_next(u32 *cookie)
{
	if (images.last_cookie == COOKIE_LAST)
		return -ENOMEM;
	*cookie = images.last_cookie + 1;
	return 0;
}

/* Allocates a new cookie, and reports it with `record` and `name`. */
static int cookie_tell(struct oprof_kmod_image *record, const char *name, u32 *cookie)
{
	int error = cookie_next(&record->image);

	if (!error)
		error = tell_image(record, name);
	if (error)
		return error;
	images.last_cookie = record->image;
	*cookie = record->image;
	stats_add(0, STATS_images, 1);
	return 0;
}

static int cookie_release(u32 cookie)
{
	int error = tell_release(cookie);

	if (!error)
		stats_add(0, STATS_images_released, 1);
	return error;
}

/* ---- files ---- */

/*
 * Returns the key of the file that the program sees, also on overlayfs. A
 * descriptor that is opened by `path` has the same key. If the file was
 * unlinked, the path still refers to its inode.
 */
static struct file_key key_of_path(const struct path *path)
{
	const struct inode *inode = d_inode(path->dentry);

	return (struct file_key){
		.dev = (u64)MAJOR(inode->i_sb->s_dev) << 32 | MINOR(inode->i_sb->s_dev),
		.inode = inode->i_ino,
		.inode_generation = inode->i_generation,
		.mtime_ns = compat_inode_mtime_ns(inode),
		.bytes = (u64)i_size_read(inode),
	};
}

static bool is_same_key(const struct file_key *a, const struct file_key *b)
{
	return a->inode == b->inode && a->dev == b->dev &&
	       a->inode_generation == b->inode_generation && a->mtime_ns == b->mtime_ns &&
	       a->bytes == b->bytes;
}

static struct held_image *image_find(const struct file_key *key)
{
	struct held_image *image;

	hlist_for_each_entry(image, key_bucket(key),
			     by_key) if (is_same_key(&image->key, key)) return image;
	return NULL;
}

static struct held_image *image_find_cookie(u32 cookie)
{
	struct held_image *image;

	hlist_for_each_entry(image, cookie_bucket(cookie),
			     by_cookie) if (image->cookie == cookie) return image;
	return NULL;
}

static int image_tell(const struct file_key *key, u32 *cookie)
{
	struct oprof_kmod_image record = {
		.kind = OPROF_IMAGE_FILE,
		.dev = key->dev,
		.inode = key->inode,
		.inode_generation = key->inode_generation,
		.mtime_ns = key->mtime_ns,
		.file_bytes = key->bytes,
	};

	return cookie_tell(&record, "", cookie);
}

static int image_make(const struct path *path, const struct file_key *key, struct held_image **made)
{
	struct held_image *image;
	int error;

	if (images.nr >= 2 * IMAGE_NR_MAX)
		return -ENOMEM;
	image = kzalloc(sizeof(*image), GFP_KERNEL | __GFP_NOWARN);
	if (!image)
		return -ENOMEM;
	error = image_tell(key, &image->cookie);
	if (error) {
		kfree(image);
		return error;
	}
	image->key = *key;
	image->state = IMAGE_HELD;
	image->path = *path;
	path_get(&image->path);
	hlist_add_head(&image->by_key, key_bucket(key));
	list_add_tail(&image->used, &images.used);
	images.nr++;
	mutex_lock(&images_mutex);
	hlist_add_head(&image->by_cookie, cookie_bucket(image->cookie));
	mutex_unlock(&images_mutex);
	*made = image;
	return 0;
}

int image_of_file(struct file *file, u32 *cookie)
{
	const struct path *path = compat_file_user_path(file);
	struct file_key key = key_of_path(path);
	struct held_image *image = image_find(&key);
	int error;

	if (!image) {
		error = image_make(path, &key, &image);
		if (error)
			return error;
	}
	list_move_tail(&image->used, &images.used);
	*cookie = image->cookie;
	return 0;
}

bool image_use(u32 cookie)
{
	struct held_image *image = image_find_cookie(cookie);

	if (image)
		list_move_tail(&image->used, &images.used);
	return image;
}

void image_tend(void)
{
	while (images.nr > IMAGE_NR_MAX) {
		struct held_image *image = list_first_entry(&images.used, struct held_image, used);

		if (cookie_release(image->cookie))
			return;
		image_free(image);
	}
}

/* ---- the daemon's descriptors ---- */

/*
 * Moves the image's reference to its path to the caller. -ENOENT: the cookie
 * is unknown; -ESTALE: the reference was already moved.
 */
static int image_take(u32 cookie, struct path *path)
{
	struct held_image *image;
	int error = -ENOENT;

	mutex_lock(&images_mutex);
	image = image_find_cookie(cookie);
	if (image)
		error = image->state == IMAGE_HELD ? 0 : -ESTALE;
	if (!error) {
		*path = image->path;
		image->state = IMAGE_TAKEN;
	}
	mutex_unlock(&images_mutex);
	return error;
}

/*
 * Moves the reference to path back to the image, so that image_open_file() can
 * be called again. If the image has been released, drops the reference.
 */
static void image_give_back(u32 cookie, const struct path *path)
{
	struct held_image *image;

	mutex_lock(&images_mutex);
	image = image_find_cookie(cookie);
	if (image)
		image->state = IMAGE_HELD;
	mutex_unlock(&images_mutex);
	if (!image)
		path_put(path);
}

static bool is_worth_another_try(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -EINTR ||
	       error == -ERESTARTSYS;
}

static int descriptor_of_path(const struct path *path)
{
	struct file *file;
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0)
		return fd;
	/*
	 * With O_NONBLOCK, the open fails instead of waiting if another
	 * process holds a lease on the file.
	 */
	file = dentry_open(path, O_RDONLY | O_LARGEFILE | O_NONBLOCK, current_cred());
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return (int)PTR_ERR(file);
	}
	fd_install(fd, file);
	return fd;
}

int image_open_file(u32 cookie)
{
	struct path path;
	int fd, error = image_take(cookie, &path);

	if (error)
		return error;
	fd = descriptor_of_path(&path);
	if (fd < 0 && is_worth_another_try(fd))
		image_give_back(cookie, &path);
	else
		path_put(&path);
	return fd;
}

/* ---- regions ---- */

static int vdso_image(u64 bytes, u32 *cookie)
{
	struct oprof_kmod_image record = {.kind = OPROF_IMAGE_VDSO, .end = bytes};
	unsigned int i;
	int error;

	for (i = 0; i < images.nr_vdsos; i++) {
		if (images.vdsos[i].bytes == bytes) {
			*cookie = images.vdsos[i].cookie;
			return 0;
		}
	}
	if (i == NR_VDSOS)
		return -ENOMEM;
	error = cookie_tell(&record, "[vdso]", cookie);
	if (error)
		return error;
	images.vdsos[i].bytes = bytes;
	images.vdsos[i].cookie = *cookie;
	images.nr_vdsos++;
	return 0;
}

static struct region *region_containing(const struct generation *generation, const char *name,
					u64 start, u64 end)
{
	struct region *region;

	list_for_each_entry(region, &generation->regions,
			    node) if (region->start <= start && end <= region->end &&
				      !strcmp(region->name, name)) return region;
	return NULL;
}

static struct region *region_starting(const struct generation *generation, const char *name,
				      u64 start)
{
	struct region *region;

	list_for_each_entry(region, &generation->regions,
			    node) if (region->start == start &&
				      !strcmp(region->name, name)) return region;
	return NULL;
}

static void region_free(struct generation *generation, struct region *region)
{
	list_del(&region->node);
	generation->nr_regions--;
	kfree(region);
}

static int region_make(struct generation *generation, const char *name, u64 start, u64 end,
		       struct region **made)
{
	struct oprof_kmod_image record = {
		.kind = OPROF_IMAGE_ANON,
		.start = start,
		.end = end,
		.generation = generation->number,
		.tgid = generation->tgid,
	};
	struct region *region =
		kmalloc(struct_size(region, name, strlen(name) + 1), GFP_KERNEL | __GFP_NOWARN);
	int error;

	if (!region)
		return -ENOMEM;
	error = cookie_tell(&record, name, &region->cookie);
	if (error) {
		kfree(region);
		return error;
	}
	region->start = start;
	region->end = end;
	strcpy(region->name, name);
	list_add_tail(&region->node, &generation->regions);
	generation->nr_regions++;
	*made = region;
	return 0;
}

/*
 * If a region has grown beyond its reported end, this function reports the
 * region again. The new reported end leaves room for growth.
 */
static int region_grow(struct generation *generation, struct region *old, u64 end,
		       struct region **made)
{
	u64 start = old->start;
	int error = region_make(generation, old->name, start,
				start + roundup_pow_of_two(end - start), made);

	if (!error)
		error = cookie_release(old->cookie);
	if (error)
		return error;
	region_free(generation, old);
	return 0;
}

/* Adds a region that does not lie within a reported region. */
static int region_add(struct generation *generation, const char *name, u64 start, u64 end,
		      struct region **made)
{
	struct region *old = region_starting(generation, name, start);

	if (old)
		return region_grow(generation, old, end, made);
	if (generation->nr_regions < IMAGE_NR_REGIONS_MAX)
		return region_make(generation, name, start, end, made);
	*made = region_containing(generation, "", 0, USER_END);
	return *made ? 0 : region_make(generation, "", 0, USER_END, made);
}

int image_of_region(struct generation *generation, const char *name, u64 start, u64 end,
		    u32 *cookie, u64 *from)
{
	struct region *region;
	int error;

	if (!strcmp(name, "[vdso]")) {
		*from = start;
		return vdso_image(end - start, cookie);
	}
	region = region_containing(generation, name, start, end);
	if (!region) {
		error = region_add(generation, name, start, end, &region);
		if (error)
			return error;
	}
	*cookie = region->cookie;
	*from = region->start;
	return 0;
}

int image_release_regions(struct generation *generation)
{
	struct region *region, *next;

	list_for_each_entry_safe(region, next, &generation->regions, node)
	{
		if (cookie_release(region->cookie))
			return -ENOSPC;
		region_free(generation, region);
	}
	return 0;
}

void image_forget_regions(struct generation *generation)
{
	struct region *region, *next;

	list_for_each_entry_safe(region, next, &generation->regions, node)
		region_free(generation, region);
}

/* ---- modules ---- */

int image_of_module(const char *name, u64 start, u64 end, u32 *cookie)
{
	struct oprof_kmod_image record = {.kind = OPROF_IMAGE_MODULE, .start = start, .end = end};

	return cookie_tell(&record, name, cookie);
}

int image_release_module(u32 cookie)
{
	return cookie_release(cookie);
}
