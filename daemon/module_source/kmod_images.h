/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel module's image cookies and the images that they stand for.
 *
 * The cookie of a file is resolved when the module announces it, while the kernel holds the file.
 * Path and build-id are read from a descriptor of the file, even if the file's path was removed or
 * replaced. If opening the file fails temporarily (no free descriptors or memory), the daemon tries
 * again later. A file that can no longer be opened stays without an image.
 */
#ifndef DAEMON_KMOD_IMAGES_H
#define DAEMON_KMOD_IMAGES_H

#include "daemon/places/places.h"
#include "oprof/kmod.h"

/* Calls the ioctl OPROF_KMOD_IMAGE_OPEN on the buffer. Returns the file's descriptor, or -errno. */
typedef int kmod_image_open_fn(int buffer_fd, uint32_t cookie);

struct kmod_image {
	struct node node;
	uint32_t cookie; /* the module's */
	enum oprof_image_kind kind;
	/* Holds a reference; NULL: a module, or a file that is not opened yet. */
	struct image_entry *entry;
	uint64_t start, end;		  /* regions: addresses */
	struct oprof_image_identity told; /* identity of a file, as in the record */
	/* CLOCK_MONOTONIC time at which to try again to open the file; UINT64_MAX: never. */
	uint64_t retry_ns;
};

struct kmod_images {
	struct node_hash images;
	struct places *places; /* borrowed */
	kmod_image_open_fn *open;
	int buffer_fd;
	uint64_t nr_unopened; /* files that could not be opened */
};

/* `open` is the function that opens files; NULL: the module's ioctl. Returns 0 or -ENOMEM. */
int kmod_images_init(struct kmod_images *images, struct places *places, kmod_image_open_fn *open);
void kmod_images_deinit(struct kmod_images *images);

/*
 * Adds the image that the record announces. name: NUL-terminated. Returns 0; -EINVAL: the kind is
 * unknown, the range is invalid, or the cookie is in use; or -ENOMEM.
 */
int kmod_images_add(struct kmod_images *images, const struct oprof_kmod_image *record,
		    const char *name, uint64_t now_ns);
/* Removes the image with this cookie. Returns false if the cookie is unknown. */
bool kmod_images_remove(struct kmod_images *images, uint32_t cookie);

/* Returns the image with this cookie; NULL if the cookie is unknown. */
struct kmod_image *kmod_images_find(const struct kmod_images *images, uint32_t cookie);

/* Returns the daemon's image, borrowed; NULL if it is unknown. May try again to open the file. */
struct image_entry *kmod_image_entry(struct kmod_images *images, struct kmod_image *image,
				     uint64_t now_ns);

#endif
