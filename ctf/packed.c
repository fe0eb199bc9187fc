// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/packed.h"

#include "ctf/window.h"
#include "lib/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define NONE UINT32_MAX
/* Approximate size of the memory that libzstd itself uses. */
#define CONTEXT_BYTES ((size_t)160 << 10)

struct ctf_packed {
	int fd;
	uint32_t nr_frames;
	uint32_t frame_bytes;  /* uncompressed size of each frame; the last one may be smaller */
	uint64_t nr_raw_bytes; /* uncompressed size of all frames */
	uint64_t *starts;      /* offsets of the frames in the file, then the end of the last one */
	size_t nr_packed_bytes; /* compressed size of the longest frame */

	ZSTD_DCtx *context;
	uint8_t *raw;	 /* uncompressed content of the frame with number in_raw */
	uint8_t *bytes;	 /* a compressed frame */
	uint32_t in_raw; /* or NONE */

	uint64_t *nr_long_bytes;
	uint64_t nr_charged;
};

static int charge(struct ctf_packed *packed, uint64_t nr_bytes)
{
	if (!packed->nr_long_bytes)
		return 0;
	if (nr_bytes > CTF_LONG_BYTES_MAX - *packed->nr_long_bytes)
		return -ENOMEM;
	*packed->nr_long_bytes += nr_bytes;
	packed->nr_charged += nr_bytes;
	return 0;
}

void ctf_packed_close(struct ctf_packed *packed)
{
	if (!packed)
		return;
	if (packed->nr_long_bytes)
		*packed->nr_long_bytes -= packed->nr_charged;
	(void)ZSTD_freeDCtx(packed->context);
	free(packed->raw);
	free(packed->bytes);
	free(packed->starts);
	if (packed->fd >= 0)
		(void)close(packed->fd);
	free(packed);
}

/* ---- the index ---- */

/* Reads exactly nr_bytes bytes. Returns 0; -EINVAL: the file ends earlier; or another -errno. */
static int read_all(int fd, void *bytes, size_t nr_bytes, uint64_t offset)
{
	const ssize_t nr = file_pread_all(fd, bytes, nr_bytes, (off_t)offset);

	if (nr < 0)
		return (int)nr;
	return (size_t)nr == nr_bytes ? 0 : -EINVAL;
}

/*
 * Finds the offset of the index. The number of frames is stored at the end of the index, and
 * determines the size of the index. The beginning of the index must have the same size.
 */
static int find_index(struct ctf_packed *packed, uint64_t file_bytes, uint64_t *index)
{
	struct ctf_packed_begin begin;
	struct ctf_packed_end end;
	uint64_t nr_bytes;
	int error;

	if (file_bytes < sizeof(begin) + sizeof(end))
		return -EINVAL;
	error = read_all(packed->fd, &end, sizeof(end), file_bytes - sizeof(end));
	if (error)
		return error;
	if (end.magic != CTF_PACKED_INDEX_MAGIC || end.flags ||
	    end.nr_frames > CTF_PACKED_NR_FRAMES_MAX)
		return -EINVAL;
	nr_bytes = end.nr_frames * sizeof(struct ctf_packed_entry) + sizeof(end);
	if (file_bytes < sizeof(begin) + nr_bytes)
		return -EINVAL;
	*index = file_bytes - nr_bytes - sizeof(begin);
	error = read_all(packed->fd, &begin, sizeof(begin), *index);
	if (error)
		return error;
	packed->nr_frames = end.nr_frames;
	return begin.magic == CTF_PACKED_SKIPPED_MAGIC && begin.nr_bytes == nr_bytes ? 0 : -EINVAL;
}

static int take_entry(struct ctf_packed *packed, uint32_t i, const struct ctf_packed_entry *entry)
{
	const bool is_last = i == packed->nr_frames - 1;

	if (!i)
		packed->frame_bytes = entry->nr_raw_bytes;
	if (!entry->nr_bytes || !entry->nr_raw_bytes ||
	    entry->nr_raw_bytes > CTF_PACKED_FRAME_BYTES_MAX ||
	    entry->nr_raw_bytes > packed->frame_bytes ||
	    (!is_last && entry->nr_raw_bytes != packed->frame_bytes) ||
	    entry->nr_bytes > ZSTD_compressBound(CTF_PACKED_FRAME_BYTES_MAX))
		return -EINVAL;
	packed->starts[i + 1] = packed->starts[i] + entry->nr_bytes;
	packed->nr_raw_bytes += entry->nr_raw_bytes;
	if (entry->nr_bytes > packed->nr_packed_bytes)
		packed->nr_packed_bytes = entry->nr_bytes;
	return 0;
}

static int read_entries(struct ctf_packed *packed, uint64_t index)
{
	struct ctf_packed_entry entries[512];
	const uint64_t from = index + sizeof(struct ctf_packed_begin);
	int error = 0;

	for (uint32_t i = 0; !error && i < packed->nr_frames;) {
		const uint32_t left = packed->nr_frames - i;
		const uint32_t nr = left < 512 ? left : 512;

		error = read_all(packed->fd, entries, nr * sizeof(entries[0]),
				 from + i * sizeof(entries[0]));
		for (uint32_t j = 0; !error && j < nr; j++)
			error = take_entry(packed, i + j, &entries[j]);
		i += nr;
	}
	/* The last frame must end where the index begins. */
	return error ? error : packed->starts[packed->nr_frames] == index ? 0 : -EINVAL;
}

static int read_index(struct ctf_packed *packed)
{
	uint64_t index, nr_bytes;
	struct stat st;
	int error;

	if (fstat(packed->fd, &st))
		return -errno;
	error = find_index(packed, (uint64_t)st.st_size, &index);
	if (error)
		return error;
	nr_bytes = (packed->nr_frames + UINT64_C(1)) * sizeof(packed->starts[0]);
	error = charge(packed, nr_bytes);
	if (error)
		return error;
	packed->starts = calloc(1, (size_t)nr_bytes);
	return packed->starts ? read_entries(packed, index) : -ENOMEM;
}

static int make_room(struct ctf_packed *packed)
{
	int error;

	if (!packed->nr_frames)
		return 0;
	error = charge(packed, packed->frame_bytes + packed->nr_packed_bytes + CONTEXT_BYTES);
	if (error)
		return error;
	packed->raw = malloc(packed->frame_bytes);
	packed->bytes = malloc(packed->nr_packed_bytes);
	packed->context = ZSTD_createDCtx();
	return packed->raw && packed->bytes && packed->context ? 0 : -ENOMEM;
}

int ctf_packed_open(struct ctf_packed **packed, int fd, uint64_t *nr_long_bytes)
{
	struct ctf_packed *made = calloc(1, sizeof(*made));
	int error;

	*packed = NULL;
	if (!made)
		return -ENOMEM;
	made->fd = fd;
	made->in_raw = NONE;
	made->nr_long_bytes = nr_long_bytes;
	error = read_index(made);
	if (!error)
		error = make_room(made);
	if (error) {
		made->fd = -1; /* after an error the caller still owns fd */
		ctf_packed_close(made);
		return error;
	}
	*packed = made;
	return 0;
}

uint64_t ctf_packed_bytes(const struct ctf_packed *packed)
{
	return packed->nr_raw_bytes;
}

/* ---- frames ---- */

static size_t raw_bytes_of(const struct ctf_packed *packed, uint32_t frame)
{
	const uint64_t left = packed->nr_raw_bytes - (uint64_t)frame * packed->frame_bytes;

	return left < packed->frame_bytes ? (size_t)left : packed->frame_bytes;
}

static int unpack(struct ctf_packed *packed, uint32_t frame)
{
	const size_t nr_bytes = (size_t)(packed->starts[frame + 1] - packed->starts[frame]);
	const size_t nr_raw = raw_bytes_of(packed, frame);
	int error;

	if (packed->in_raw == frame)
		return 0;
	packed->in_raw = NONE;
	error = read_all(packed->fd, packed->bytes, nr_bytes, packed->starts[frame]);
	if (error)
		return error == -EINVAL ? -EBADMSG : error;
	if (ZSTD_decompressDCtx(packed->context, packed->raw, nr_raw, packed->bytes, nr_bytes) !=
	    nr_raw)
		return -EBADMSG;
	packed->in_raw = frame;
	return 0;
}

ssize_t ctf_packed_pread(struct ctf_packed *packed, void *bytes, size_t nr_bytes, uint64_t offset)
{
	uint8_t *to = bytes;
	size_t done = 0;

	while (done < nr_bytes && offset < packed->nr_raw_bytes) {
		const uint32_t frame = (uint32_t)(offset / packed->frame_bytes);
		const size_t within = (size_t)(offset % packed->frame_bytes);
		const int error = unpack(packed, frame);
		size_t nr;

		if (error)
			return error;
		nr = raw_bytes_of(packed, frame) - within;
		if (nr > nr_bytes - done)
			nr = nr_bytes - done;
		memcpy(to + done, packed->raw + within, nr);
		done += nr;
		offset += nr;
	}
	return (ssize_t)done;
}
