// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/packed.h"

#include "ctf/metadata.h"
#include "lib/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/*
 * Files are half as large as with level 1, and one idle core still compresses data at the
 * speed at which disks write.
 */
#define LEVEL	  3
#define FILE_MODE 0600

struct packing {
	int from_fd, to_fd;
	ZSTD_CCtx *context;
	uint8_t *raw, *bytes;
	size_t room; /* size of bytes */
	struct ctf_packed_entry *entries;
	uint32_t nr_frames;
};

static int packing_init(struct packing *packing)
{
	packing->room = ZSTD_compressBound(CTF_PACKED_FRAME_BYTES);
	packing->context = ZSTD_createCCtx();
	packing->raw = malloc(CTF_PACKED_FRAME_BYTES);
	packing->bytes = malloc(packing->room);
	if (!packing->context || !packing->raw || !packing->bytes ||
	    ZSTD_isError(
		    ZSTD_CCtx_setParameter(packing->context, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(packing->context, ZSTD_c_checksumFlag, 1)))
		return -ENOMEM;
	return 0;
}

static void packing_deinit(struct packing *packing)
{
	(void)ZSTD_freeCCtx(packing->context);
	free(packing->raw);
	free(packing->bytes);
	free(packing->entries);
}

/*
 * Appends an entry. The array is full if nr_frames is 0 or a power of two; then its size is
 * doubled.
 */
static int add_entry(struct packing *packing, size_t nr_bytes, size_t nr_raw)
{
	const uint32_t nr = packing->nr_frames;

	if (nr == CTF_PACKED_NR_FRAMES_MAX)
		return -EFBIG;
	if (!(nr & (nr - 1))) {
		const size_t room = nr ? nr * (size_t)2 : 1;
		struct ctf_packed_entry *bigger =
			reallocarray(packing->entries, room, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		packing->entries = bigger;
	}
	packing->entries[packing->nr_frames++] =
		(struct ctf_packed_entry){(uint32_t)nr_bytes, (uint32_t)nr_raw};
	return 0;
}

static int pack_frame(struct packing *packing, size_t nr_raw)
{
	const size_t nr_bytes = ZSTD_compress2(packing->context, packing->bytes, packing->room,
					       packing->raw, nr_raw);
	int error;

	if (ZSTD_isError(nr_bytes)) /* the arguments are valid, so this means out of memory */
		return -ENOMEM;
	error = file_write_all(packing->to_fd, packing->bytes, nr_bytes);
	return error ? error : add_entry(packing, nr_bytes, nr_raw);
}

static int pack_frames(struct packing *packing)
{
	ssize_t nr;
	off_t at = 0;
	int error;

	do {
		nr = file_pread_all(packing->from_fd, packing->raw, CTF_PACKED_FRAME_BYTES, at);
		if (nr < 0)
			return (int)nr;
		error = nr ? pack_frame(packing, (size_t)nr) : 0;
		if (error)
			return error;
		at += nr;
	} while (nr == CTF_PACKED_FRAME_BYTES);
	return 0;
}

static int write_index(const struct packing *packing)
{
	const size_t nr_entry_bytes = packing->nr_frames * sizeof(packing->entries[0]);
	const struct ctf_packed_end end = {.nr_frames = packing->nr_frames,
					   .magic = CTF_PACKED_INDEX_MAGIC};
	const struct ctf_packed_begin begin = {.magic = CTF_PACKED_SKIPPED_MAGIC,
					       .nr_bytes =
						       (uint32_t)(nr_entry_bytes + sizeof(end))};
	int error = file_write_all(packing->to_fd, &begin, sizeof(begin));

	if (!error && nr_entry_bytes)
		error = file_write_all(packing->to_fd, packing->entries, nr_entry_bytes);
	return error ? error : file_write_all(packing->to_fd, &end, sizeof(end));
}

static int pack(int from_fd, int to_fd)
{
	struct packing packing = {.from_fd = from_fd, .to_fd = to_fd};
	int error = packing_init(&packing);

	if (!error)
		error = pack_frames(&packing);
	if (!error)
		error = write_index(&packing);
	if (!error && fsync(to_fd))
		error = -errno;
	packing_deinit(&packing);
	return error;
}

/* Compresses the file `name`, which is open at from_fd. */
static int make(int folder_fd, const char *name, int from_fd)
{
	char packed[NAME_MAX + 1], temporary[NAME_MAX + 1];
	int to_fd, error;

	if ((size_t)snprintf(temporary, sizeof(temporary), ".%s" CTF_PACKED_SUFFIX ".tmp", name) >=
	    sizeof(temporary))
		return -ENAMETOOLONG;
	(void)snprintf(packed, sizeof(packed), "%s" CTF_PACKED_SUFFIX, name);
	to_fd = openat(folder_fd, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		       FILE_MODE);
	if (to_fd < 0)
		return -errno;
	error = pack(from_fd, to_fd);
	(void)close(to_fd);
	if (!error && renameat(folder_fd, temporary, folder_fd, packed))
		error = -errno;
	if (error)
		(void)unlinkat(folder_fd, temporary, 0);
	else if (unlinkat(folder_fd, name, 0))
		error = -errno;
	return error;
}

static int open_plain(int folder_fd, const char *name)
{
	const int fd =
		openat(folder_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	(void)close(fd);
	return -EINVAL;
}

int ctf_packed_make(int folder_fd, const char *name)
{
	const int fd = open_plain(folder_fd, name);
	int error;

	if (fd < 0)
		return fd;
	error = make(folder_fd, name, fd);
	(void)close(fd);
	return error;
}

/* ---- folders ---- */

static int sync_one(int folder_fd, const char *name)
{
	const int fd = open_plain(folder_fd, name);
	int error;

	if (fd < 0)
		return fd;
	error = fsync(fd) ? -errno : 0;
	(void)close(fd);
	return error;
}

static bool is_packed(const char *name)
{
	const size_t nr = strlen(name), nr_suffix = strlen(CTF_PACKED_SUFFIX);

	return nr > nr_suffix && !strcmp(name + nr - nr_suffix, CTF_PACKED_SUFFIX);
}

static int do_one(int folder_fd, const char *name, bool compress)
{
	if (!compress || !strcmp(name, CTF_METADATA_FILE) || is_packed(name))
		return sync_one(folder_fd, name);
	return ctf_packed_make(folder_fd, name);
}

int ctf_packed_make_all(const char *path, bool compress, struct diag *diag)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int error = 0, one;

	if (!dir)
		return diag_set_at(diag, -errno, path, 0, "cannot be read: %s", strerror(errno));
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		one = do_one(dirfd(dir), entry->d_name, compress);
		if (one && !error)
			error = diag_set_at(diag, one, path, 0, "file %s: %s", entry->d_name,
					    strerror(-one));
	}
	if (fsync(dirfd(dir)) && !error)
		error = diag_set_at(diag, -errno, path, 0, "cannot be written to disk: %s",
				    strerror(errno));
	(void)closedir(dir);
	return error;
}
