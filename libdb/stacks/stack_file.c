// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stack file open for writing. The file is mapped once, with its maximum length: the part of the
 * mapping beyond the end of the file takes only address space. Indexes in memory find records by
 * their content. Records are only appended; a record becomes valid when the header's nr_bytes,
 * which is stored last, includes it. A part of the file is reserved for OPROF_STACK_OTHER nodes,
 * which are added when the rest of the file is full.
 */
#include "libdb/stacks/stack_file.h"

#include "lib/saturate.h"
#include "libdb/blocks.h"
#include "libdb/sdb_internal.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/stack_identity.h"
#include "libdb/slice/stack_index.h"
#include "libdb/stacks/stack_record.h"
#include "libdb/stacks/stack_scan.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A file grows by an eighth of its size, within these limits, which bound the delay and the unused
 * space.
 */
#define SEGMENT_BYTES_MIN (16u << 10)
#define SEGMENT_BYTES_MAX (1u << 20)
#define FILE_BYTES_MIN	  (64u << 10) /* minimum of nr_bytes_max */
#define FILE_BYTES_MAX	  ((uint64_t)UINT32_MAX * 8)
#define BLOCK_BYTES	  4096u

/* Bytes that an emptied file keeps, as in sdb_restart.c. */
#define KEEP_BYTES (16 * BLOCK_BYTES)
/* When a file is emptied, indexes with more lines than this are freed. */
#define KEEP_LINES (1u << 13)

/*
 * After the file failed to grow, another attempt is made only for every TRY_AGAIN-th record that
 * has no room.
 */
#define TRY_AGAIN 64u

#define NODE_BYTES sizeof(struct oprof_stack_node)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

struct stack_file {
	uint8_t *map;
	struct sdb_mapping *mapping; /* copy of map, for the SIGBUS handler */
	uint64_t nr_bytes;	     /* bytes of header and records; equals the header's nr_bytes */
	uint64_t file_bytes;	     /* bytes allocated on disk */
	/*
	 * Number of roots without an OPROF_STACK_OTHER node. For each of these roots, the room for
	 * such a node is reserved.
	 */
	uint64_t nr_roots_bare;
	uint64_t nr_others;  /* number of OPROF_STACK_OTHER nodes, usually 0 */
	uint64_t nr_refused; /* records that found no room after the first failure to grow */
	int refused;	     /* error of the last growth; 0: none */
	struct stack_index nodes, images, roots; /* numbers in these tables are positions */

	size_t map_bytes;
	uint64_t nr_bytes_max;
	struct stack_record record; /* the record that is being searched or appended */
	int fd;
};

static struct oprof_stack_header *header_of(const struct stack_file *file)
{
	return (struct oprof_stack_header *)(void *)file->map;
}

static inline struct oprof_stack_node *node_at(const struct stack_file *file, uint32_t position)
{
	return (struct oprof_stack_node *)(void *)(file->map + (uint64_t)position * 8);
}

static bool is_lost(const struct stack_file *file)
{
	return __atomic_load_n(&file->mapping->lost, __ATOMIC_RELAXED);
}

/* Returns whether a node at this position would lie within the valid records. */
static bool is_within(const struct stack_file *file, uint32_t position)
{
	return (uint64_t)position * 8 >= OPROF_STACK_HEADER_BYTES &&
	       (uint64_t)position * 8 + NODE_BYTES <= file->nr_bytes;
}

/* ---- room ---- */

/*
 * The reserved room that a record may use. ROOM_ORDINARY: none. ROOM_OTHER: the room for OTHER
 * nodes. ROOM_OTHER_OF_ROOT: the room for OTHER nodes, including OTHER nodes of roots.
 */
enum room { ROOM_ORDINARY, ROOM_OTHER, ROOM_OTHER_OF_ROOT };

static bool has_room(const struct stack_file *file, size_t nr_bytes, enum room room)
{
	uint64_t wanted = file->nr_bytes + nr_bytes;

	if (room != ROOM_OTHER_OF_ROOT)
		wanted += file->nr_roots_bare * NODE_BYTES;
	if (room == ROOM_ORDINARY)
		wanted += file->file_bytes / 16;
	return wanted <= file->file_bytes;
}

static uint64_t segment_bytes(const struct stack_file *file, size_t nr_bytes)
{
	uint64_t segment = file->file_bytes / 8;

	if (segment < SEGMENT_BYTES_MIN)
		segment = SEGMENT_BYTES_MIN;
	if (segment > SEGMENT_BYTES_MAX)
		segment = SEGMENT_BYTES_MAX;
	/* Twice nr_bytes is added, since a longer file also has more reserved room. */
	return segment + 2 * nr_bytes;
}

/*
 * Makes all pages of a range writable by one call, which is much cheaper than one page fault for
 * each page. On a kernel without MADV_POPULATE_WRITE, these page faults occur when the pages are
 * written.
 */
static void prefault(const struct stack_file *file, uint64_t from, uint64_t nr_bytes)
{
	(void)madvise(file->map + from, (size_t)nr_bytes, MADV_POPULATE_WRITE);
}

static int file_grow(struct stack_file *file, size_t nr_bytes)
{
	uint64_t end = file->file_bytes + segment_bytes(file, nr_bytes);
	int error;

	end -= end % BLOCK_BYTES;
	if (end > file->nr_bytes_max)
		end = file->nr_bytes_max;
	if (end <= file->file_bytes)
		return -ENOSPC;
	error = blocks_allocate(file->fd, file->file_bytes, end - file->file_bytes);
	if (error)
		return error;
	prefault(file, file->file_bytes, end - file->file_bytes);
	file->file_bytes = end;
	return 0;
}

static int make_room(struct stack_file *file, size_t nr_bytes, enum room room)
{
	if (has_room(file, nr_bytes, room))
		return 0;
	/* Growing is a system call, so it is not tried for every sample while the disk is full. */
	if (file->refused && file->nr_refused++ % TRY_AGAIN)
		return file->refused;
	while (!has_room(file, nr_bytes, room)) {
		file->refused = file_grow(file, nr_bytes);
		if (file->refused)
			return file->refused;
	}
	return 0;
}

/* ---- appending ---- */

/*
 * Appends a record and returns its position. The caller has reserved room in the file and in
 * `index`.
 */
static uint32_t append(struct stack_file *file, const void *record, size_t nr_bytes,
		       struct stack_index *index, uint32_t hash)
{
	const uint32_t position = (uint32_t)(file->nr_bytes / 8);

	memcpy(file->map + file->nr_bytes, record, nr_bytes);
	SDB_STORED();
	file->nr_bytes += nr_bytes;
	/* Partner: the acquire fence in read_header of stack_scan.c. */
	sdb_store64(&header_of(file)->nr_bytes, file->nr_bytes);
	stack_index_put(index, hash, position);
	return position;
}

/* Appends the root or image in file->record. */
static int64_t append_record(struct stack_file *file, struct stack_index *index, uint32_t hash,
			     size_t nr_more_bytes)
{
	const size_t nr_bytes = file->record.head.size_bytes;
	int error = stack_index_reserve(index, 1);
	uint32_t position;

	if (!error)
		error = make_room(file, nr_bytes + nr_more_bytes, ROOM_ORDINARY);
	if (error)
		return error;
	position = append(file, &file->record, nr_bytes, index, hash);
	return is_lost(file) ? -EIO : (int64_t)position;
}

static int64_t append_node(struct stack_file *file, uint32_t parent, uint32_t image,
			   uint64_t offset, enum room room)
{
	const struct oprof_stack_node node = {
		.head = {.type = OPROF_STACK_NODE, .size_bytes = NODE_BYTES},
		.parent = parent,
		.image = image,
		.offset = offset};
	int error = stack_index_reserve(&file->nodes, 1);

	if (!error)
		error = make_room(file, NODE_BYTES, room);
	if (error)
		return error;
	file->nr_others += image == OPROF_STACK_OTHER;
	return append(file, &node, NODE_BYTES, &file->nodes,
		      stack_hash_node(parent, image, offset));
}

/* ---- finding ---- */

struct sought_node {
	const struct stack_file *file;
	uint32_t parent, image;
	uint64_t offset;
};

static inline bool same_node(const void *what, uint32_t position)
{
	const struct sought_node *sought = what;
	const struct oprof_stack_node *node = node_at(sought->file, position);

	return node->parent == sought->parent && node->image == sought->image &&
	       node->offset == sought->offset;
}

static inline uint32_t find_node(const struct stack_file *file, uint32_t parent, uint32_t image,
				 uint64_t offset)
{
	const struct sought_node sought = {file, parent, image, offset};

	return stack_index_find(&file->nodes, stack_hash_node(parent, image, offset), same_node,
				&sought);
}

static bool same_record(const void *what, uint32_t position)
{
	const struct stack_file *file = what;

	return stack_record_same(&file->record, file->map + (uint64_t)position * 8,
				 file->nr_bytes - (uint64_t)position * 8);
}

int64_t stack_file_root(struct stack_file *file, const struct slice_section *section)
{
	const uint32_t hash = stack_root_hash(section);
	int64_t position = stack_record_root(&file->record, section);

	if (position < 0)
		return position;
	position = stack_index_find(&file->roots, hash, same_record, file);
	if (is_lost(file))
		return -EIO;
	if (position)
		return position;
	position = append_record(file, &file->roots, hash, NODE_BYTES);
	file->nr_roots_bare += position > 0;
	return position;
}

int64_t stack_file_image(struct stack_file *file, const struct stack_image *image)
{
	const uint32_t hash = stack_image_hash(image);
	int64_t position = stack_record_image(&file->record, image);

	if (position < 0)
		return position;
	position = stack_index_find(&file->images, hash, same_record, file);
	if (is_lost(file))
		return -EIO;
	return position ? position : append_record(file, &file->images, hash, 0);
}

/* ---- nodes ---- */

static bool is_root(const struct stack_file *file, uint32_t position)
{
	return node_at(file, position)->head.type == OPROF_STACK_ROOT;
}

static int64_t other_of_root(struct stack_file *file, uint32_t root)
{
	const int64_t other = append_node(file, root, OPROF_STACK_OTHER, 0, ROOM_OTHER_OF_ROOT);

	file->nr_roots_bare -= other > 0;
	return other;
}

/*
 * Finds or adds the OPROF_STACK_OTHER node of `parent`. If there is no room for it, does the same
 * for the nearest ancestor that has such a node or has room for one.
 */
static int64_t other_above(struct stack_file *file, uint32_t parent)
{
	for (;;) {
		const uint32_t found = find_node(file, parent, OPROF_STACK_OTHER, 0);
		int64_t made;

		if (found)
			return found;
		if (is_root(file, parent))
			return other_of_root(file, parent);
		made = append_node(file, parent, OPROF_STACK_OTHER, 0, ROOM_OTHER);
		if (made > 0 || made == -ENOMEM)
			return made;
		/* A parent comes before its parts, unless another program overwrote the file. */
		if (node_at(file, parent)->parent >= parent ||
		    !is_within(file, node_at(file, parent)->parent))
			return -EILSEQ;
		parent = node_at(file, parent)->parent;
	}
}

static bool is_other(const struct stack_file *file, uint32_t position)
{
	return node_at(file, position)->head.type == OPROF_STACK_NODE &&
	       node_at(file, position)->image == OPROF_STACK_OTHER;
}

static int64_t child_new(struct stack_file *file, uint32_t parent, uint32_t image, uint64_t offset,
			 bool *folded)
{
	int64_t child;

	/* An OTHER node also stands for all nodes below it. */
	if (file->nr_others && is_other(file, parent)) {
		*folded = true;
		return parent;
	}
	child = append_node(file, parent, image, offset, ROOM_ORDINARY);
	if (child < 0 && child != -ENOMEM) {
		child = other_above(file, parent);
		*folded |= child > 0;
	}
	return is_lost(file) ? -EIO : child;
}

int64_t stack_file_child(struct stack_file *file, uint32_t parent, uint32_t image, uint64_t offset,
			 bool *folded)
{
	uint32_t found;

	assert(is_within(file, parent));
	if (image < OPROF_STACK_MARKS)
		offset = 0;
	found = find_node(file, parent, image, offset);
	if (is_lost(file))
		return -EIO;
	return found ? found : child_new(file, parent, image, offset, folded);
}

int stack_file_add(struct stack_file *file, uint32_t node, uint64_t nr_samples, uint64_t weight)
{
	struct oprof_stack_node *to = node_at(file, node);

	assert(is_within(file, node));
	if (to->head.type != OPROF_STACK_NODE)
		return is_lost(file) ? -EIO : -EINVAL;
	/*
	 * The samples are stored first: after a kill between the two stores, there are samples
	 * without weight.
	 */
	sdb_store64(&to->nr_samples, saturate_sum(to->nr_samples, nr_samples));
	sdb_store64(&to->weight, saturate_sum(to->weight, weight));
	return is_lost(file) ? -EIO : 0;
}

/* ---- emptying ---- */

static bool is_sound(const struct stack_file *file)
{
	const struct oprof_stack_header *header = header_of(file);

	return !memcmp(header->magic, OPROF_STACK_MAGIC, sizeof(header->magic)) &&
	       header->nr_bytes == file->nr_bytes;
}

static void index_forget(struct stack_index *index)
{
	if (index->mask >= KEEP_LINES)
		stack_index_deinit(index);
	else
		stack_index_empty(index);
}

/*
 * Truncates the file. If this fails, the failure is ignored, and the file's blocks are used again.
 */
static void blocks_give_back(struct stack_file *file)
{
	if (file->file_bytes > KEEP_BYTES && !ftruncate(file->fd, KEEP_BYTES))
		file->file_bytes = KEEP_BYTES;
	SDB_STORED();
}

int stack_file_restart(struct stack_file *file, uint64_t epoch)
{
	struct oprof_stack_header *header = header_of(file);

	assert(file->map);
	if (is_lost(file) || !is_sound(file) || !header->epoch || epoch <= header->epoch)
		return -EIO;
	sdb_store64(&header->epoch_emptied, header->epoch);
	/*
	 * Orders the store to epoch_emptied before all changes that follow (a shorter file, other
	 * records): a reader that sees such a change, and then reads the header again, also sees
	 * the new epoch_emptied. Partners: the acquire fences in stack_scan.c.
	 */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	sdb_store64(&header->nr_bytes, OPROF_STACK_HEADER_BYTES);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (is_lost(file))
		return -EIO;
	sdb_store64(&header->epoch, epoch);
	file->nr_bytes = OPROF_STACK_HEADER_BYTES;
	file->nr_roots_bare = 0;
	file->nr_others = 0;
	file->nr_refused = 0;
	file->refused = 0;
	index_forget(&file->nodes);
	index_forget(&file->images);
	index_forget(&file->roots);
	blocks_give_back(file);
	return is_lost(file) ? -EIO : 0;
}

/* ---- opening ---- */

/* Writes the header by one write, so that it exists either completely or not at all. */
static int file_begin(struct stack_file *file, uint64_t epoch, const char *path, struct diag *diag)
{
	static const uint8_t zeros[OPROF_STACK_HEADER_BYTES];
	uint8_t page[OPROF_STACK_HEADER_BYTES];
	struct oprof_stack_header header = {.version = OPROF_STACK_VERSION,
					    .byte_order = OPROF_STACK_BYTE_ORDER,
					    .header_bytes = OPROF_STACK_HEADER_BYTES,
					    .nr_bytes = OPROF_STACK_HEADER_BYTES,
					    .epoch = epoch};
	int error;

	memcpy(header.magic, OPROF_STACK_MAGIC, sizeof(header.magic));
	memcpy(page, zeros, sizeof(page));
	memcpy(page, &header, sizeof(header));
	error = blocks_may_reach(sizeof(page));
	if (!error)
		error = blocks_write(file->fd, page, sizeof(page), 0);
	SDB_STORED();
	if (error) {
		/* Remove an incomplete header, with which the file would look truncated. */
		(void)!ftruncate(file->fd, 0);
		return diag_set_at(diag, error, path, 0,
				   "cannot write the beginning of the file: %s", strerror(-error));
	}
	if (file->file_bytes < sizeof(page))
		file->file_bytes = sizeof(page);
	return 0;
}

/*
 * Checks the header. If the file's creation was interrupted, the file has no samples and is
 * created again.
 */
static int file_check(struct stack_file *file, uint64_t epoch, const char *path,
		      struct oprof_stack_header *header, struct diag *diag)
{
	int error = stack_scan_header(file->fd, path, header, diag);

	if (error == -ENODATA) {
		if (file->file_bytes > OPROF_STACK_HEADER_BYTES)
			return diag_set_at(diag, -EILSEQ, path, 0,
					   "damaged: its first page is zero");
		error = file_begin(file, epoch, path, diag);
		if (!error)
			error = stack_scan_header(file->fd, path, header, diag);
	}
	if (error)
		return error;
	/*
	 * Samples without an epoch are in no slice, so they must not be removed. A file that is
	 * being emptied cannot be used again under its epoch.
	 */
	if (!header->epoch != !epoch || header->epoch > epoch ||
	    (header->epoch == epoch && stack_scan_is_void(header)))
		return diag_set_at(diag, -EINVAL, path, 0,
				   "the existing stack file has another epoch");
	return 0;
}

static int file_map(struct stack_file *file, const char *path, struct diag *diag)
{
	const uint64_t longest =
		file->file_bytes > file->nr_bytes_max ? file->file_bytes : file->nr_bytes_max;
	void *map;

	if (longest > FILE_BYTES_MAX || longest > SIZE_MAX / 2)
		return diag_set_at(diag, -EFBIG, path, 0, "too large to be mapped");
	map = mmap(NULL, (size_t)longest, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
	if (map == MAP_FAILED)
		return diag_set_at(diag, -errno, path, 0, "cannot map it: %s", strerror(errno));
	file->map = map;
	file->map_bytes = (size_t)longest;
	sdb_mapping_set(file->mapping, map, file->map_bytes);
	return 0;
}

/* ---- indexing existing records ---- */

static int64_t index_put_new(struct stack_index *index, uint32_t hash, uint32_t position,
			     uint32_t found)
{
	if (found)
		return -EEXIST;
	if (stack_index_reserve(index, 1))
		return -ENOMEM;
	stack_index_put(index, hash, position);
	return 0;
}

static int64_t found_root(void *context, const struct slice_section *section, uint32_t position)
{
	struct stack_file *file = context;
	const uint32_t hash = stack_root_hash(section);
	const int error = stack_record_root(&file->record, section);
	int64_t number;

	if (error)
		return error;
	number = index_put_new(&file->roots, hash, position,
			       stack_index_find(&file->roots, hash, same_record, file));
	file->nr_roots_bare += !number;
	return number;
}

static int64_t found_image(void *context, const struct stack_image *image, uint32_t position)
{
	struct stack_file *file = context;
	const uint32_t hash = stack_image_hash(image);
	const int error = stack_record_image(&file->record, image);

	return error ? error
		     : index_put_new(&file->images, hash, position,
				     stack_index_find(&file->images, hash, same_record, file));
}

static int64_t found_node(void *context, const struct oprof_stack_node *record, uint32_t parent,
			  uint32_t image, uint32_t position)
{
	struct stack_file *file = context;
	const uint32_t hash = stack_hash_node(record->parent, record->image, record->offset);
	int64_t number;

	(void)parent;
	(void)image;
	if (is_other(file, record->parent))
		return -EEXIST;
	number = index_put_new(&file->nodes, hash, position,
			       find_node(file, record->parent, record->image, record->offset));
	if (number || record->image != OPROF_STACK_OTHER)
		return number;
	file->nr_others++;
	if (is_root(file, record->parent))
		file->nr_roots_bare--;
	return number;
}

static const struct stack_scan_ops ops_find = {
	.root = found_root, .image = found_image, .node = found_node};

/*
 * Prepares an existing file: empties it if epoch is later than the file's epoch, else indexes its
 * records.
 */
static int file_take_up(struct stack_file *file, const struct oprof_stack_header *header,
			uint64_t epoch, const char *path, struct diag *diag)
{
	file->nr_bytes = header->nr_bytes;
	if (header->epoch < epoch) {
		if (stack_file_restart(file, epoch))
			return diag_set_at(diag, -EIO, path, 0,
					   "truncated or overwritten while it was being emptied");
		return 0;
	}
	return stack_scan(file->fd, path, header, &ops_find, file, diag);
}

/* Opens and locks the file, and gets its size. After this, no other process writes to the file. */
static int open_locked(struct stack_file *file, const char *path, struct diag *diag)
{
	struct stat status;

	/*
	 * If path is a FIFO, O_NONBLOCK prevents waiting. The flag has no effect on regular files.
	 */
	file->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (file->fd < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	if (flock(file->fd, LOCK_EX | LOCK_NB) < 0) {
		int error = errno == EWOULDBLOCK ? -EBUSY : -errno;

		return diag_set_at(diag, error, path, 0, "%s",
				   error == -EBUSY ? "another program is writing to it"
						   : strerror(errno));
	}
	if (fstat(file->fd, &status) < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	if (!S_ISREG(status.st_mode))
		return diag_set_at(diag, -EINVAL, path, 0, "not a regular file");
	file->file_bytes = (uint64_t)status.st_size;
	return 0;
}

static int open_all(struct stack_file *file, const char *path, uint64_t epoch, struct diag *diag)
{
	struct oprof_stack_header header;
	int error = open_locked(file, path, diag);

	if (!error)
		error = file_check(file, epoch, path, &header, diag);
	file->file_bytes -= file->file_bytes % BLOCK_BYTES;
	if (!error && header.nr_bytes > file->file_bytes)
		error = diag_set_at(diag, -EILSEQ, path, 0,
				    "damaged or truncated: its last page is incomplete");
	if (!error)
		error = file_map(file, path, diag);
	if (!error)
		error = file_take_up(file, &header, epoch, path, diag);
	if (!error && is_lost(file))
		error = diag_set_at(diag, -EIO, path, 0,
				    "truncated or unreadable while it was being opened");
	return error;
}

int stack_file_open(struct stack_file **file, const char *path, uint64_t epoch,
		    uint64_t nr_bytes_max, struct diag *diag)
{
	struct stack_file *opened = calloc(1, sizeof(*opened));
	int error;

	if (!opened)
		return diag_set_at(diag, -ENOMEM, path, 0, "%s", strerror(ENOMEM));
	opened->fd = -1;
	if (nr_bytes_max < FILE_BYTES_MIN)
		nr_bytes_max = FILE_BYTES_MIN;
	if (nr_bytes_max > FILE_BYTES_MAX)
		nr_bytes_max = FILE_BYTES_MAX;
	opened->nr_bytes_max = nr_bytes_max - nr_bytes_max % BLOCK_BYTES;
	opened->mapping = sdb_mapping_get();
	error = opened->mapping ? open_all(opened, path, epoch, diag)
				: diag_set_at(diag, -ENOMEM, path, 0, "%s", strerror(ENOMEM));
	if (error)
		stack_file_close(opened);
	else
		*file = opened;
	return error;
}

void stack_file_close(struct stack_file *file)
{
	if (!file)
		return;
	sdb_mapping_put(file->mapping);
	if (file->map)
		(void)munmap(file->map, file->map_bytes);
	if (file->fd >= 0) {
		/* Closing alone would not release a lock that a forked child shares. */
		(void)flock(file->fd, LOCK_UN);
		(void)close(file->fd);
	}
	stack_index_deinit(&file->nodes);
	stack_index_deinit(&file->images);
	stack_index_deinit(&file->roots);
	free(file);
}

/* ---- the rest of the interface ---- */

uint64_t stack_file_epoch(const struct stack_file *file)
{
	return header_of(file)->epoch;
}

uint64_t stack_file_nr_bytes(const struct stack_file *file)
{
	return file->file_bytes;
}

bool stack_file_is_at(const struct stack_file *file, const char *path)
{
	struct stat ours, named;

	return !fstat(file->fd, &ours) && !lstat(path, &named) && ours.st_ino == named.st_ino &&
	       ours.st_dev == named.st_dev;
}

int stack_file_sync(struct stack_file *file)
{
	struct stat status;

	if (fdatasync(file->fd) < 0 || fstat(file->fd, &status) < 0)
		return -errno;
	/* If another process truncated the file, the records after its new end are lost. */
	return is_lost(file) || (uint64_t)status.st_size < file->file_bytes ? -EIO : 0;
}
