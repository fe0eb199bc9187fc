// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/kernel/kernel_functions.h"

#include "lib/array.h"
#include "libdb/sample_name.h"
#include "oprof/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADING	      "oprof-kernel-symbols 1\n"
#define IMAGES_MAX    1024u
#define FUNCTIONS_MAX (1u << 20) /* limit for one image; a kernel has about a fifth of this */
#define WAIT_FIRST_NS UINT64_C(1000000000)
#define WAIT_MAX_NS   (64 * WAIT_FIRST_NS)

struct kernel_functions_of {
	uint64_t identity; /* sample_identity() */
	uint32_t *starts;  /* starts of functions, ascending; NULL: not known */
	size_t nr_starts;
	/*
	 * look_ns: time at which to look for the file again. wait_ns: the last pause between two
	 * looks; 0: look again in the next round.
	 */
	uint64_t look_ns, wait_ns;
};

void kernel_functions_deinit(struct kernel_functions *functions)
{
	for (size_t i = 0; i < functions->nr_images; i++)
		free(functions->images[i].starts);
	free(functions->images);
	*functions = (struct kernel_functions){.images = NULL};
}

/* ---- the session's file ---- */

struct starts {
	uint32_t *values;
	size_t nr, room;
};

static int starts_add(struct starts *starts, uint32_t start)
{
	if (starts->nr == FUNCTIONS_MAX)
		return -E2BIG;
	if (array_reserve(&starts->values, &starts->room, starts->nr, 1))
		return -ENOMEM;
	starts->values[starts->nr++] = start;
	return 0;
}

/* Reads lines "START BYTES TYPE NAME", which are in ascending order of START. Skips other lines. */
static int starts_read(struct starts *starts, FILE *file)
{
	unsigned long long last = 0;
	size_t room_line = 0;
	char *line = NULL;
	int error = 0;

	if (getline(&line, &room_line, file) < 0 || strcmp(line, HEADING) != 0)
		error = -EINVAL;
	while (!error && getline(&line, &room_line, file) >= 0) {
		char *end;
		unsigned long long start = strtoull(line, &end, 16);

		if (end == line || *end != ' ' || start > UINT32_MAX ||
		    (starts->nr && start <= last))
			continue;
		last = start;
		error = starts_add(starts, (uint32_t)start);
	}
	free(line);
	return error;
}

/*
 * Reads the image's functions from the session. Returns false if the file has no functions or
 * cannot be read.
 */
static bool image_load(struct kernel_functions_of *image, const char *meta_path)
{
	struct starts starts = {.nr = 0};
	uint32_t *fitting;
	char *path;
	FILE *file;

	if (asprintf(&path, "%s/" OPROF_SYMBOLS_NAME "/%016" PRIx64, meta_path, image->identity) <
	    0)
		return false;
	file = fopen(path, "re");
	free(path);
	if (!file)
		return false;
	if (starts_read(&starts, file))
		starts.nr = 0;
	(void)fclose(file);
	if (!starts.nr) {
		free(starts.values);
		return false;
	}
	fitting = realloc(starts.values, starts.nr * sizeof(*fitting));
	if (fitting)
		starts.values = fitting;
	image->starts = starts.values;
	image->nr_starts = starts.nr;
	return true;
}

/* ---- look-ups ---- */

static struct kernel_functions_of *image_find(struct kernel_functions *functions, uint64_t identity)
{
	if (functions->last < functions->nr_images &&
	    functions->images[functions->last].identity == identity)
		return &functions->images[functions->last];
	for (size_t i = 0; i < functions->nr_images; i++)
		if (functions->images[i].identity == identity) {
			functions->last = i;
			return &functions->images[i];
		}
	if (functions->nr_images == IMAGES_MAX ||
	    array_reserve(&functions->images, &functions->room_images, functions->nr_images, 1))
		return NULL;
	functions->last = functions->nr_images++;
	functions->images[functions->last] = (struct kernel_functions_of){.identity = identity};
	return &functions->images[functions->last];
}

/* Returns the start of the last function at or below offset. */
static uint64_t starts_find(const struct kernel_functions_of *image, uint64_t offset)
{
	size_t low = 0, high = image->nr_starts;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (image->starts[middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? image->starts[low - 1] : KERNEL_FUNCTIONS_UNKNOWN;
}

/*
 * Requests the symbols, which are probably written after this round. If the kernel hides them, they
 * are never written: therefore the pause before the next look grows.
 */
static void image_want(struct kernel_functions *functions, struct kernel_functions_of *of,
		       uint64_t now_ns)
{
	functions->wanted = true;
	if (of->look_ns) {
		of->wait_ns = of->wait_ns ? 2 * of->wait_ns : WAIT_FIRST_NS;
		if (of->wait_ns > WAIT_MAX_NS)
			of->wait_ns = WAIT_MAX_NS;
	}
	of->look_ns = now_ns + (of->wait_ns ? of->wait_ns : 1);
}

uint64_t kernel_functions_find(struct kernel_functions *functions, const struct image *image,
			       uint64_t offset, const char *meta_path, uint64_t now_ns)
{
	struct kernel_functions_of *of = image_find(functions, sample_identity(&image->identity));

	if (!of)
		return KERNEL_FUNCTIONS_UNKNOWN;
	if (!of->starts && now_ns >= of->look_ns && !image_load(of, meta_path))
		image_want(functions, of, now_ns);
	if (of->starts)
		return starts_find(of, offset);
	return of->wait_ns ? KERNEL_FUNCTIONS_UNKNOWN : KERNEL_FUNCTIONS_WANTED;
}
