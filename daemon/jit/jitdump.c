// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jit/jitdump.h"

#include "lib/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define MAGIC		0x4a695444u /* "JiTD" in the byte order of the writer */
#define VERSION		1u
#define HEADER_BYTES	40u
#define HEADER_MAX	4096u
#define FLAG_ARCH_CLOCK 1u /* times come from a counter of the processor */
#define ADDRESS_MAX	(UINT64_C(1) << 63)

enum record_id { CODE_LOAD = 0, CODE_MOVE = 1, CODE_DEBUG_INFO = 2, CODE_CLOSE = 3 };

/* The file's layout, in this order, without padding. */
struct file_header {
	uint32_t magic, version, nr_bytes, machine, reserved, pid;
	uint64_t time, flags;
};

struct record_head {
	uint32_t id, nr_bytes; /* nr_bytes: size of the whole record */
	uint64_t time_ns;
};

struct code_load {
	uint32_t pid, tid;
	uint64_t vma, address, nr_bytes, index;
	/* The function's name, its NUL and the code follow. */
};

struct code_move {
	uint32_t pid, tid;
	uint64_t vma, old_address, new_address, nr_bytes, index;
};

_Static_assert(sizeof(struct file_header) == HEADER_BYTES, "the file's layout");
_Static_assert(sizeof(struct record_head) == 16, "the file's layout");
_Static_assert(sizeof(struct code_load) == 40, "the file's layout");
_Static_assert(sizeof(struct code_move) == 48, "the file's layout");

static bool is_range(uint64_t address, uint64_t nr_bytes)
{
	return address < ADDRESS_MAX && nr_bytes <= ADDRESS_MAX - address;
}

static void add(struct code_map *map, uint64_t address, uint64_t nr_bytes, struct code_name *name,
		struct jitdump_counts *counts)
{
	int error = name ? code_map_add(map, address, address + nr_bytes, name)
			 : code_map_cut(map, address, address + nr_bytes);

	/*
	 * After an error, the range has no name: its earlier names were removed, since a wrong name
	 * would be worse than no name.
	 */
	if (error || !name)
		counts->nr_left_out++;
}

/*
 * Applies a CODE_LOAD record. bytes: the record without its header; of a long record, only the
 * first part is in memory. Returns false if the record is invalid.
 */
static bool apply_load(struct code_map *map, const char *bytes, size_t nr_bytes,
		       struct jitdump_counts *counts)
{
	struct code_load load;
	struct code_name *name;
	const char *text, *end;

	if (nr_bytes < sizeof(load))
		return false;
	memcpy(&load, bytes, sizeof(load));
	text = bytes + sizeof(load);
	nr_bytes -= sizeof(load);
	end = memchr(text, '\0', nr_bytes < JITDUMP_NAME_MAX ? nr_bytes : JITDUMP_NAME_MAX);
	if (!end || end == text || !is_range(load.address, load.nr_bytes))
		return false;
	if (!load.nr_bytes)
		return true; /* no code */
	name = code_pool_get(map->pool, text, (size_t)(end - text));
	add(map, load.address, load.nr_bytes, name, counts);
	if (name)
		code_name_put(map->pool, name);
	return true;
}

/*
 * Applies a CODE_MOVE record. Code without a name is not moved. Returns false if the record is
 * invalid.
 */
static bool apply_move(struct code_map *map, const char *bytes, size_t nr_bytes,
		       struct jitdump_counts *counts)
{
	const struct named_range *range;
	struct code_name *name;
	struct code_move move;

	if (nr_bytes < sizeof(move))
		return false;
	memcpy(&move, bytes, sizeof(move));
	if (!is_range(move.old_address, move.nr_bytes) ||
	    !is_range(move.new_address, move.nr_bytes))
		return false;
	range = move.nr_bytes ? code_map_find(map, move.old_address) : NULL;
	if (!range)
		return true;
	name = code_name_get(range->name);
	if (code_map_cut(map, move.old_address, move.old_address + move.nr_bytes))
		counts->nr_left_out++;
	add(map, move.new_address, move.nr_bytes, name, counts);
	code_name_put(map->pool, name);
	return true;
}

static void apply(struct jitdump *dump, struct code_map *map, const struct record_head *head,
		  const char *bytes, size_t nr_bytes, struct jitdump_counts *counts)
{
	bool good = true;

	counts->nr_records++;
	if (head->id == CODE_LOAD)
		good = apply_load(map, bytes, nr_bytes, counts);
	else if (head->id == CODE_MOVE)
		good = apply_move(map, bytes, nr_bytes, counts);
	else if (head->id == CODE_CLOSE)
		dump->state = JITDUMP_CLOSED;
	if (!good)
		counts->nr_bad_records++;
}

static int refuse(struct jitdump *dump, struct jitdump_counts *counts)
{
	dump->state = JITDUMP_REFUSED;
	counts->nr_bad_records++;
	return 0;
}

static int read_header(struct jitdump *dump, int fd, struct jitdump_counts *counts)
{
	struct file_header header;
	ssize_t nr = file_pread_all(fd, &header, sizeof(header), 0);

	if (nr < 0)
		return (int)nr;
	if (nr < (ssize_t)sizeof(header))
		return 0; /* not written yet */
	if (header.magic != MAGIC || header.version != VERSION || header.nr_bytes < HEADER_BYTES ||
	    header.nr_bytes > HEADER_MAX || (header.flags & FLAG_ARCH_CLOCK))
		return refuse(dump, counts);
	dump->state = JITDUMP_READING;
	dump->position = header.nr_bytes;
	return 0;
}

struct jitdump_reading {
	struct jitdump *dump;
	uint64_t until_ns, now_ns;
	uint64_t file_bytes;
	struct code_map **map;
	struct jitdump_counts *counts;
};

/*
 * Returns 1 if the record was applied; dump->position is then the position of the next record.
 * Returns 0 if the record cannot be applied yet, or is invalid.
 */
static int take_record(const struct jitdump_reading *reading, const char *bytes, size_t nr_bytes)
{
	struct jitdump *dump = reading->dump;
	struct record_head head;

	memcpy(&head, bytes, sizeof(head));
	if (head.nr_bytes < sizeof(head))
		return refuse(dump, reading->counts);
	if (head.nr_bytes > reading->file_bytes - dump->position)
		return 0; /* the record is still being written */
	if (head.time_ns > reading->until_ns && head.time_ns <= reading->now_ns) {
		dump->next_ns = head.time_ns;
		return 0;
	}
	if (nr_bytes > head.nr_bytes)
		nr_bytes = head.nr_bytes;
	apply(dump, *reading->map, &head, bytes + sizeof(head), nr_bytes - sizeof(head),
	      reading->counts);
	dump->position += head.nr_bytes;
	return 1;
}

/*
 * Returns whether enough of the record is in memory to apply it. The code in the record is not
 * needed. If too little is in memory, the next read begins at this record.
 */
static bool has_enough(const char *bytes, size_t nr_bytes)
{
	const size_t enough =
		sizeof(struct record_head) + sizeof(struct code_move) + JITDUMP_NAME_MAX;
	struct record_head head;

	if (nr_bytes < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	return nr_bytes >= enough || nr_bytes >= head.nr_bytes;
}

/*
 * Reads and applies one buffer. Returns 1: records were applied; 0: none can be applied now; or
 * -errno.
 */
static int take_buffer(struct jitdump_reading *reading, int fd, char *buffer, size_t nr_buffer)
{
	struct jitdump *dump = reading->dump;
	uint64_t begin = dump->position;
	ssize_t nr = file_pread_all(fd, buffer, nr_buffer, (off_t)begin);
	int taken = 0;

	if (nr < 0)
		return (int)nr;
	/* The file may have grown since fstat(). */
	if (begin + (uint64_t)nr > reading->file_bytes)
		reading->file_bytes = begin + (uint64_t)nr;
	while (dump->state == JITDUMP_READING && dump->position - begin < (uint64_t)nr) {
		size_t at = (size_t)(dump->position - begin);
		size_t left = (size_t)nr - at;

		if (left < sizeof(struct record_head) || (at && !has_enough(buffer + at, left)))
			break;
		if (!take_record(reading, buffer + at, left))
			return 0;
		taken = 1;
	}
	return taken;
}

int jitdump_read(struct jitdump *dump, int fd, uint64_t until_ns, uint64_t now_ns,
		 struct code_map **map, char *buffer, size_t nr_buffer,
		 struct jitdump_counts *counts)
{
	struct jitdump_reading reading = {dump, until_ns, now_ns, 0, map, counts};
	struct stat st;
	int more = 1;

	if (dump->state == JITDUMP_REFUSED || dump->state == JITDUMP_CLOSED)
		return 0;
	if (fstat(fd, &st))
		return -errno;
	reading.file_bytes = (uint64_t)st.st_size;
	if (dump->position > reading.file_bytes)
		return -ESTALE;
	if (dump->state == JITDUMP_NEW)
		more = read_header(dump, fd, counts);
	if (more < 0 || dump->state != JITDUMP_READING)
		return more < 0 ? more : 0;
	if (code_map_own(map)) {
		counts->nr_left_out++;
		return 0;
	}
	dump->next_ns = 0;
	more = 1;
	for (unsigned int i = 0; more > 0 && i < JITDUMP_READS_MAX; i++)
		more = take_buffer(&reading, fd, buffer, nr_buffer);
	return more < 0 ? more : more || dump->next_ns;
}
