/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel module's image cookies and the images that they stand for.
 *
 * The cookie of a file is resolved as soon as it is announced, while the kernel holds the file:
 * path and build-id are read from a descriptor of the file, even if its path was removed or
 * replaced. If the file cannot be opened for now (no descriptors or memory left) it is tried again;
 * a file that can no longer be opened stays without an image.
 */
#ifndef DAEMON_KMOD_IMAGES_H
#define DAEMON_KMOD_IMAGES_H

#include "daemon/places/places.h"
#include "oprof/kmod.h"

/* Makes the ioctl OPROF_KMOD_IMAGE_OPEN on the buffer. Returns the file's descriptor, or -errno. */
typedef int kmod_image_open_fn(int buffer_fd, uint32_t cookie);

struct kmod_image {
	struct node node;
	uint32_t cookie; /* the module's */
	enum oprof_image_kind kind;
	struct image_entry *entry; /* a reference; NULL: a module, or a file not opened yet */
	uint64_t start, end;	   /* regions: addresses */
	struct oprof_image_identity told; /* of a file, as in the record */
	/* CLOCK_MONOTONIC: when to try again to open the file; UINT64_MAX: never. */
	uint64_t retry_ns;
};

struct kmod_images {
	struct node_hash images;
	struct places *places; /* borrowed */
	kmod_image_open_fn *open;
	int buffer_fd;
	uint64_t nr_unopened; /* files that could not be opened */
};

/* open: NULL for the module's ioctl. Returns 0 or -ENOMEM. */
int kmod_images_init(struct kmod_images *images, struct places *places, kmod_image_open_fn *open);
void kmod_images_deinit(struct kmod_images *images);

/*
 * name: NUL-terminated. Returns 0; -EINVAL: no such kind, an invalid range, or the cookie is in
 * use; or -ENOMEM.
 */
int kmod_images_add(struct kmod_images *images, const struct oprof_kmod_image *record,
		    const char *name, uint64_t now_ns);
/* Returns false if there is no such cookie. */
bool kmod_images_remove(struct kmod_images *images, uint32_t cookie);

/* Returns NULL if unknown. */
struct kmod_image *kmod_images_find(const struct kmod_images *images, uint32_t cookie);

/* Returns the cookie's image, borrowed; NULL if unknown. May retry to open a file. */
struct image_entry *kmod_image_entry(struct kmod_images *images, struct kmod_image *image,
				     uint64_t now_ns);

#endif
