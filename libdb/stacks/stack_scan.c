// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/stacks/stack_scan.h"

#include "lib/file.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/stack_tree_internal.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CHUNK_BYTES  (8 * STACK_RECORD_BYTES_MAX)
#define HEADER_TRIES 10 /* enough, since a file is created once and emptied about once a minute */

/*
 * Minimum size of a record. Positions differ by at least this, so place_index() differs for any
 * two records.
 */
#define RECORD_BYTES_MIN (sizeof(struct oprof_stack_node))

_Static_assert(sizeof(struct oprof_stack_root) >= RECORD_BYTES_MIN, "roots are longer");
_Static_assert(sizeof(struct oprof_stack_image) >= RECORD_BYTES_MIN, "images are longer");
_Static_assert(sizeof(struct oprof_stack_node) % 8 == 0 &&
		       sizeof(struct oprof_stack_root) % 8 == 0 &&
		       sizeof(struct oprof_stack_image) % 8 == 0,
	       "records are aligned");

struct record_place {
	uint32_t position; /* 0: none */
	uint32_t number;
	enum oprof_stack_record_type type;
};

struct scan {
	int fd;
	const char *path;
	const struct stack_scan_ops *ops;
	void *context;
	struct diag *diag;
	uint64_t end; /* offset at which the records end */

	uint8_t *chunk;
	uint64_t chunk_start; /* offset of the chunk in the file */
	size_t chunk_bytes;
	char *text; /* strings of the current record, each with a NUL */

	struct record_place *places; /* indexed by place_index */
	size_t nr_places;
};

static int damaged(const struct scan *scan, uint64_t offset, const char *what)
{
	return diag_set_at(scan->diag, -EILSEQ, scan->path, 0, "damaged: %s at byte %llu", what,
			   (unsigned long long)offset);
}

static int failed(const struct scan *scan, int error)
{
	return diag_set_at(scan->diag, error, scan->path, 0, "%s", strerror(-error));
}

/* ---- the header ---- */

bool stack_scan_is_void(const struct oprof_stack_header *header)
{
	return header->epoch && header->epoch == header->epoch_emptied;
}

static int check_start(const struct oprof_stack_header *header, size_t nr_bytes, const char *path,
		       struct diag *diag)
{
	static const struct oprof_stack_header zeros;

	if (!nr_bytes || (nr_bytes <= sizeof(zeros) && !memcmp(header, &zeros, nr_bytes)))
		return diag_set_at(diag, -ENODATA, path, 0, "the stack file has no header");
	if (nr_bytes < sizeof(*header) ||
	    memcmp(header->magic, OPROF_STACK_MAGIC, sizeof(header->magic)) != 0)
		return diag_set_at(diag, -EINVAL, path, 0, "not a stack file");
	if (header->byte_order == __builtin_bswap32(OPROF_STACK_BYTE_ORDER))
		return diag_set_at(diag, -EPROTONOSUPPORT, path, 0,
				   "written on a machine with another byte order");
	if (header->byte_order != OPROF_STACK_BYTE_ORDER)
		return diag_set_at(diag, -EILSEQ, path, 0, "damaged: byte order 0x%x",
				   header->byte_order);
	if (header->version != OPROF_STACK_VERSION)
		return diag_set_at(diag, -EPROTONOSUPPORT, path, 0,
				   "has version %u of the format; this program supports version %d",
				   header->version, OPROF_STACK_VERSION);
	if (header->flags)
		return diag_set_at(diag, -EPROTONOSUPPORT, path, 0,
				   "has flags 0x%x, which this program does not know",
				   header->flags);
	return 0;
}

static int check_sizes(int fd, const struct oprof_stack_header *header, const char *path,
		       struct diag *diag)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	if (header->header_bytes != OPROF_STACK_HEADER_BYTES ||
	    header->nr_bytes < OPROF_STACK_HEADER_BYTES || header->nr_bytes % 8 ||
	    header->nr_bytes / 8 > UINT32_MAX || header->epoch_emptied > header->epoch)
		return diag_set_at(diag, -EILSEQ, path, 0, "damaged: its header is invalid");
	if (header->nr_bytes > (uint64_t)status.st_size)
		return diag_set_at(
			diag, -EILSEQ, path, 0,
			"damaged or truncated: the records end at byte %llu, but the file has "
			"only %llu bytes",
			(unsigned long long)header->nr_bytes, (unsigned long long)status.st_size);
	return 0;
}

/* A copy of the header. Its words may have been read at different moments. */
struct header_copy {
	struct oprof_stack_header header;
	size_t nr_bytes;
};

static int read_header(int fd, const char *path, struct header_copy *copy, struct diag *diag)
{
	ssize_t nr;

	memset(copy, 0, sizeof(*copy));
	/*
	 * The two fences order this read after the previous reads of header, size and records, and
	 * before the next ones. Partners: the fence in stack_file_restart, and the release of
	 * nr_bytes in append() of stack_file.c.
	 */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	nr = file_pread_all(fd, &copy->header, sizeof(copy->header), 0);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (nr < 0)
		return diag_set_at(diag, (int)nr, path, 0, "%s", strerror((int)-nr));
	copy->nr_bytes = (size_t)nr;
	return 0;
}

/* Compares everything except nr_bytes, which grows with every record. */
static bool same_state(const struct header_copy *a, const struct header_copy *b)
{
	struct oprof_stack_header left = a->header;

	left.nr_bytes = b->header.nr_bytes;
	return a->nr_bytes == b->nr_bytes && !memcmp(&left, &b->header, sizeof(left));
}

/*
 * Reads the header three times. If the three copies are equal, all data read between the first and
 * the last copy belongs to one epoch, including nr_bytes and the file's size. If the file is being
 * created or emptied, the copies differ, and then the header and any error found in it are
 * meaningless.
 */
int stack_scan_header(int fd, const char *path, struct oprof_stack_header *header,
		      struct diag *diag)
{
	struct header_copy before, found, after;
	int error = read_header(fd, path, &before, diag);

	for (int tries = 0; tries < HEADER_TRIES && !error; tries++) {
		int wrong = 0;

		error = read_header(fd, path, &found, diag);
		if (error)
			break;
		wrong = check_start(&found.header, found.nr_bytes, path, diag);
		if (!wrong)
			wrong = check_sizes(fd, &found.header, path, diag);
		/*
		 * diag keeps the first error. A failure to read is returned without another
		 * attempt.
		 */
		error = read_header(fd, path, &after, wrong ? NULL : diag);
		if (!error && same_state(&before, &found) && same_state(&found, &after)) {
			*header = found.header;
			return wrong;
		}
		before = after;
	}
	return error ? error
		     : diag_set_at(diag, -EAGAIN, path, 0,
				   "the file was emptied too often while it was read; try again");
}

/* ---- places ---- */

static int places_grow(struct scan *scan, size_t nr_wanted)
{
	size_t nr = scan->nr_places ? scan->nr_places : 1024;
	struct record_place *bigger;

	while (nr < nr_wanted)
		nr *= 2;
	bigger = realloc(scan->places, nr * sizeof(*bigger));
	if (!bigger)
		return failed(scan, -ENOMEM);
	memset(bigger + scan->nr_places, 0, (nr - scan->nr_places) * sizeof(*bigger));
	scan->places = bigger;
	scan->nr_places = nr;
	return 0;
}

static size_t place_index(uint32_t position)
{
	return (size_t)position / (RECORD_BYTES_MIN / 8);
}

static int place_put(struct scan *scan, uint64_t offset, enum oprof_stack_record_type type,
		     int64_t number)
{
	const uint32_t position = (uint32_t)(offset / 8);
	int error = 0;

	if (number == -EEXIST)
		return damaged(scan, offset, "a second record");
	if (number < 0)
		return failed(scan, (int)number);
	if (place_index(position) >= scan->nr_places)
		error = places_grow(scan, place_index(position) + 1);
	if (!error)
		scan->places[place_index(position)] =
			(struct record_place){position, (uint32_t)number, type};
	return error;
}

/* Returns the record at this position, or NULL if no record begins there. */
static const struct record_place *place_find(const struct scan *scan, uint32_t position)
{
	const struct record_place *place;

	if (place_index(position) >= scan->nr_places)
		return NULL;
	place = &scan->places[place_index(position)];
	return position && place->position == position ? place : NULL;
}

/* ---- records ---- */

/*
 * The strings of a record. In the file they follow the struct, without NULs, padded by zeros to 8
 * bytes.
 */
struct record_strings {
	const struct scan *scan;
	const uint8_t *next;
	char *to;
	size_t nr_left;
	bool bad;
};

static const char *take_string(struct record_strings *strings, uint32_t nr_bytes)
{
	const char *text = strings->to;

	if (strings->bad || nr_bytes > strings->nr_left || memchr(strings->next, '\0', nr_bytes)) {
		strings->bad = true;
		return "";
	}
	memcpy(strings->to, strings->next, nr_bytes);
	strings->to[nr_bytes] = '\0';
	strings->to += nr_bytes + 1;
	strings->next += nr_bytes;
	strings->nr_left -= nr_bytes;
	return text;
}

static bool strings_end(const struct record_strings *strings)
{
	bool right = !strings->bad && strings->nr_left < 8;

	for (size_t i = 0; right && i < strings->nr_left; i++)
		right = !strings->next[i];
	return right;
}

static struct slice_path take_path(struct record_strings *strings,
				   const struct oprof_stack_path *path)
{
	if (path->kind > SAMPLE_PATH_ANON)
		strings->bad = true;
	/*
	 * Except in paths of memory regions, these fields must be 0. Otherwise two different
	 * records could stand for one path.
	 */
	if (path->kind != SAMPLE_PATH_ANON && (path->tgid || path->start || path->end))
		strings->bad = true;
	return (struct slice_path){.kind = (enum sample_path_kind)path->kind,
				   .path = take_string(strings, path->nr_bytes),
				   .tgid = path->tgid,
				   .start = path->start,
				   .end = path->end};
}

static struct record_strings strings_begin(const struct scan *scan, const uint8_t *record,
					   size_t struct_bytes, uint32_t size_bytes)
{
	return (struct record_strings){.scan = scan,
				       .next = record + struct_bytes,
				       .to = scan->text,
				       .nr_left = size_bytes - struct_bytes};
}

static int scan_root(struct scan *scan, const uint8_t *record, uint64_t offset)
{
	struct oprof_stack_root root;
	struct slice_section section = {0};
	struct record_strings strings;

	memcpy(&root, record, sizeof(root));
	strings = strings_begin(scan, record, sizeof(root), root.head.size_bytes);
	section.app = take_path(&strings, &root.app);
	section.event = take_string(&strings, root.event_bytes);
	if (root.cgroup_bytes)
		section.cgroup = take_string(&strings, root.cgroup_bytes);
	section.period_or_hz = root.period_or_hz;
	section.unit_mask = root.unit_mask;
	section.flags = root.sdb_flags;
	section.tgid = root.tgid;
	section.tid = root.tid;
	section.cpu = root.cpu;
	if (!strings_end(&strings) || !root.event_bytes || root.tgid < SAMPLE_NAME_ALL ||
	    root.tid < SAMPLE_NAME_ALL || root.cpu < SAMPLE_NAME_ALL ||
	    root.sdb_flags & ~(SLICE_ROOT_FLAGS_TELL | OPROF_SDB_WEIGHTED))
		return damaged(scan, offset, "a root");
	return place_put(scan, offset, OPROF_STACK_ROOT,
			 scan->ops->root(scan->context, &section, (uint32_t)(offset / 8)));
}

static int scan_image(struct scan *scan, const uint8_t *record, uint64_t offset)
{
	struct oprof_stack_image image;
	struct stack_image found = {0};
	struct record_strings strings;

	memcpy(&image, record, sizeof(image));
	strings = strings_begin(scan, record, sizeof(image), image.head.size_bytes);
	found.path = take_path(&strings, &image.path);
	found.kind = (enum oprof_image_kind)image.kind;
	found.image_start = image.image_start;
	found.identity = image.identity;
	if (!strings_end(&strings) || image.reserved || image.kind > INT32_MAX ||
	    image.identity.nr_build_id > OPROF_BUILD_ID_BYTES_MAX)
		return damaged(scan, offset, "an image");
	return place_put(scan, offset, OPROF_STACK_IMAGE,
			 scan->ops->image(scan->context, &found, (uint32_t)(offset / 8)));
}

static int scan_node(struct scan *scan, const uint8_t *record, uint64_t offset)
{
	const struct record_place *parent, *image;
	struct oprof_stack_node node;
	uint32_t number;

	memcpy(&node, record, sizeof(node));
	parent = place_find(scan, node.parent);
	if (node.head.size_bytes != sizeof(node) || !parent || parent->type == OPROF_STACK_IMAGE)
		return damaged(scan, offset, "a node's parent");
	if (node.image < OPROF_STACK_MARKS) {
		number = STACK_MARK(node.image);
		if (node.offset)
			return damaged(scan, offset, "a mark");
	} else {
		image = place_find(scan, node.image);
		if (!image || image->type != OPROF_STACK_IMAGE)
			return damaged(scan, offset, "a node's image");
		number = image->number;
	}
	return place_put(scan, offset, OPROF_STACK_NODE,
			 scan->ops->node(scan->context, &node, parent->number, number,
					 (uint32_t)(offset / 8)));
}

static int scan_record(struct scan *scan, const uint8_t *record,
		       const struct oprof_stack_record *head, uint64_t offset)
{
	if (head->type == OPROF_STACK_NODE)
		return scan_node(scan, record, offset);
	if (head->type == OPROF_STACK_IMAGE && head->size_bytes >= sizeof(struct oprof_stack_image))
		return scan_image(scan, record, offset);
	if (head->type == OPROF_STACK_ROOT && head->size_bytes >= sizeof(struct oprof_stack_root))
		return scan_root(scan, record, offset);
	return damaged(scan, offset, "a record");
}

/* ---- entry points ---- */

/* Ensures that the chunk contains the record at `offset`, or its part before scan->end. */
static int chunk_fill(struct scan *scan, uint64_t offset)
{
	const uint64_t left = scan->end - offset;
	const size_t nr_wanted = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
	const uint64_t chunk_end = scan->chunk_start + scan->chunk_bytes;
	ssize_t nr;

	if (chunk_end == scan->end || chunk_end >= offset + STACK_RECORD_BYTES_MAX)
		return 0;
	nr = file_pread_all(scan->fd, scan->chunk, nr_wanted, (off_t)offset);
	if (nr < 0)
		return failed(scan, (int)nr);
	if ((size_t)nr != nr_wanted)
		return damaged(scan, offset + (uint64_t)nr, "truncated");
	scan->chunk_start = offset;
	scan->chunk_bytes = nr_wanted;
	return 0;
}

static int scan_all(struct scan *scan)
{
	uint64_t offset = OPROF_STACK_HEADER_BYTES;
	int error = 0;

	while (offset < scan->end && !error) {
		struct oprof_stack_record head;
		const uint8_t *record;

		error = chunk_fill(scan, offset);
		if (error)
			break;
		record = scan->chunk + (offset - scan->chunk_start);
		memcpy(&head, record, sizeof(head));
		if (head.flags || head.size_bytes % 8 || head.size_bytes < RECORD_BYTES_MIN ||
		    head.size_bytes > STACK_RECORD_BYTES_MAX ||
		    head.size_bytes > scan->end - offset)
			return damaged(scan, offset, "a record");
		error = scan_record(scan, record, &head, offset);
		offset += head.size_bytes;
	}
	return error;
}

int stack_scan(int fd, const char *path, const struct oprof_stack_header *header,
	       const struct stack_scan_ops *ops, void *context, struct diag *diag)
{
	struct scan scan = {.fd = fd,
			    .path = path,
			    .ops = ops,
			    .context = context,
			    .diag = diag,
			    .end = header->nr_bytes,
			    .chunk = malloc(CHUNK_BYTES),
			    .text = malloc(STACK_RECORD_BYTES_MAX)};
	int error = scan.chunk && scan.text ? scan_all(&scan) : failed(&scan, -ENOMEM);

	free(scan.chunk);
	free(scan.text);
	free(scan.places);
	return error;
}
