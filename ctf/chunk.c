// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/chunk.h"

#include "ctf/metadata.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NR_DIGITS (CTF_CHUNK_NAME_BYTES - 1)

void ctf_chunk_name(uint32_t number, char name[CTF_CHUNK_NAME_BYTES])
{
	for (unsigned int i = NR_DIGITS; i--; number /= 10)
		name[i] = (char)('0' + number % 10);
	name[NR_DIGITS] = '\0';
}

uint32_t ctf_chunk_number(const char *name)
{
	uint32_t number = 0;

	for (unsigned int i = 0; i < NR_DIGITS; i++) {
		if (name[i] < '0' || name[i] > '9')
			return 0;
		number = number * 10 + (uint32_t)(name[i] - '0');
	}
	return name[NR_DIGITS] ? 0 : number;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t *first = a, *second = b;

	return *first < *second ? -1 : *first > *second;
}

/* Appends a number. The array is full if *nr is 0 or a power of two; then its size is doubled. */
static int add_number(uint32_t **numbers, unsigned int *nr, uint32_t number)
{
	if (!(*nr & (*nr - 1))) {
		const size_t room = *nr ? *nr * (size_t)2 : 1;
		uint32_t *bigger = reallocarray(*numbers, room, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		*numbers = bigger;
	}
	(*numbers)[(*nr)++] = number;
	return 0;
}

static int list(DIR *dir, uint32_t **numbers, unsigned int *nr)
{
	struct dirent *entry;
	int error = 0;

	errno = 0;
	while (!error && (entry = readdir(dir))) {
		const uint32_t number = ctf_chunk_number(entry->d_name);
		struct stat info;

		/*
		 * Ignore entries that are not folders, and entries that were removed after
		 * readdir() returned them.
		 */
		if (number && !fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) &&
		    S_ISDIR(info.st_mode))
			error = add_number(numbers, nr, number);
		if (!error)
			errno = 0;
	}
	return error ? error : -errno;
}

int ctf_chunk_list(int folder_fd, uint32_t **numbers, unsigned int *nr)
{
	const int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	uint32_t *found = NULL;
	unsigned int nr_found = 0;
	int error = dir ? list(dir, &found, &nr_found) : -errno;

	if (dir)
		(void)closedir(dir);
	else if (fd >= 0)
		(void)close(fd);
	if (error) {
		free(found);
		return error;
	}
	if (nr_found)
		qsort(found, nr_found, sizeof(*found), compare_numbers);
	*numbers = found;
	*nr = nr_found;
	return 0;
}

/*
 * Returns whether the file at path begins like CTF metadata. All writers of CTF 1 begin it in the
 * same way.
 */
static bool has_metadata(int folder_fd, const char *path)
{
	static const char begin[] = "/* CTF 1.";
	const int fd =
		openat(folder_fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	char bytes[sizeof(begin) - 1];
	bool has;

	if (fd < 0)
		return false;
	has = read(fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes) &&
	      !memcmp(bytes, begin, sizeof(bytes));
	(void)close(fd);
	return has;
}

bool ctf_chunk_is_trace_fd(int fd)
{
	uint32_t *numbers = NULL;
	unsigned int nr = 0;
	bool is_trace = has_metadata(fd, CTF_METADATA_FILE);

	if (!is_trace)
		(void)ctf_chunk_list(fd, &numbers, &nr);
	for (unsigned int i = 0; i < nr && !is_trace; i++) {
		char path[CTF_CHUNK_NAME_BYTES + sizeof(CTF_METADATA_FILE)];
		char chunk[CTF_CHUNK_NAME_BYTES];

		ctf_chunk_name(numbers[i], chunk);
		(void)snprintf(path, sizeof(path), "%s/" CTF_METADATA_FILE, chunk);
		is_trace = has_metadata(fd, path);
	}
	free(numbers);
	return is_trace;
}

bool ctf_chunk_is_trace(const char *folder)
{
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_trace;

	if (fd < 0)
		return false;
	is_trace = ctf_chunk_is_trace_fd(fd);
	(void)close(fd);
	return is_trace;
}
