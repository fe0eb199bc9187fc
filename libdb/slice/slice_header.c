// SPDX-License-Identifier: GPL-2.0-or-later
/* The header of a slice: conversion of byte order, checksum, and checks of an untrusted header. */
#include "libdb/slice/slice_format.h"

#include "lib/file.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#define NR_FRAMES 5

void slice_header_swap(struct oprof_slice_header *header)
{
	uint32_t *const halves[] = {&header->version, &header->header_bytes, &header->flags,
				    &header->level,   &header->clock,	     &header->cpu_khz};
	uint64_t *const words[] = {&header->epoch_first,
				   &header->epoch_last,
				   (uint64_t *)&header->begin_ns,
				   (uint64_t *)&header->end_ns,
				   (uint64_t *)&header->first_sample_ns,
				   (uint64_t *)&header->last_sample_ns,
				   &header->nr_sections,
				   &header->nr_keys,
				   &header->nr_samples,
				   &header->weight,
				   &header->nr_idle,
				   &header->nr_stack_samples,
				   &header->checksum};
	struct oprof_slice_frame *const frames[NR_FRAMES] = {
		&header->tables, &header->keys, &header->counts, &header->weights, &header->stacks};

	for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++)
		*halves[i] = le32toh(*halves[i]);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		*words[i] = le64toh(*words[i]);
	for (size_t i = 0; i < NR_FRAMES; i++) {
		frames[i]->offset = le64toh(frames[i]->offset);
		frames[i]->nr_bytes = le64toh(frames[i]->nr_bytes);
		frames[i]->nr_raw_bytes = le64toh(frames[i]->nr_raw_bytes);
	}
}

uint64_t slice_header_checksum(const struct oprof_slice_header *header)
{
	const uint8_t *bytes = (const uint8_t *)header;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < offsetof(struct oprof_slice_header, checksum); i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Checks magic, version, checksum and flags of *header, which is in file byte order. */
static int check_start(const struct oprof_slice_header *header, size_t nr_bytes, const char *path,
		       struct diag *diag)
{
	if (nr_bytes < sizeof(header->magic) ||
	    memcmp(header->magic, OPROF_SLICE_MAGIC, sizeof(header->magic)) != 0)
		return diag_set_at(diag, -EINVAL, path, 0, "not a slice");
	if (nr_bytes < sizeof(*header))
		return diag_set_at(diag, -EILSEQ, path, 0, "truncated: the file has only %zu bytes",
				   nr_bytes);
	if (le32toh(header->version) < OPROF_SLICE_VERSION_MIN ||
	    le32toh(header->version) > OPROF_SLICE_VERSION)
		return diag_set_at(diag, -EPROTONOSUPPORT, path, 0,
				   "has version %u of the format, but this program reads versions "
				   "%d to %d; use the oprof that wrote the slice, or a newer one",
				   le32toh(header->version), OPROF_SLICE_VERSION_MIN,
				   OPROF_SLICE_VERSION);
	if (slice_header_checksum(header) != le64toh(header->checksum))
		return diag_set_at(diag, -EILSEQ, path, 0,
				   "damaged: the checksum of its header is wrong");
	if (le32toh(header->flags) & ~OPROF_SLICE_FLAGS)
		return diag_set_at(diag, -EPROTONOSUPPORT, path, 0,
				   "has flags 0x%x, which this program does not know",
				   le32toh(header->flags) & ~OPROF_SLICE_FLAGS);
	return 0;
}

static int check_frame(const struct oprof_slice_frame *frame, const char *name, uint64_t *offset,
		       uint64_t file_bytes, const char *path, struct diag *diag)
{
	if (frame->offset != *offset || frame->nr_bytes > file_bytes - *offset)
		return diag_set_at(
			diag, -EILSEQ, path, 0,
			"damaged or truncated: frame %s, with %llu bytes at offset %llu, in a "
			"file of %llu bytes",
			name, (unsigned long long)frame->nr_bytes,
			(unsigned long long)frame->offset, (unsigned long long)file_bytes);
	if (!frame->nr_bytes != !frame->nr_raw_bytes ||
	    frame->nr_raw_bytes > slice_raw_bytes_max(frame->nr_bytes))
		return diag_set_at(
			diag, -EILSEQ, path, 0,
			"damaged: frame %s of %llu bytes cannot decompress to %llu bytes", name,
			(unsigned long long)frame->nr_bytes,
			(unsigned long long)frame->nr_raw_bytes);
	*offset += frame->nr_bytes;
	return 0;
}

/* The frame "stacks" must exist if and only if its flag is set. */
static int check_stacks(const struct oprof_slice_header *header, uint64_t *offset,
			uint64_t file_bytes, const char *path, struct diag *diag)
{
	const struct oprof_slice_frame *stacks = &header->stacks;
	const bool flagged = header->flags & OPROF_SLICE_STACKS;

	if (flagged != !!stacks->nr_raw_bytes ||
	    (!flagged && (stacks->offset || stacks->nr_bytes || header->nr_stack_samples)))
		return diag_set_at(diag, -EILSEQ, path, 0,
				   "damaged: flags 0x%x contradict frame stacks (%llu raw bytes)",
				   header->flags, (unsigned long long)stacks->nr_raw_bytes);
	return flagged ? check_frame(stacks, "stacks", offset, file_bytes, path, diag) : 0;
}

static int check_frames(const struct oprof_slice_header *header, uint64_t file_bytes,
			const char *path, struct diag *diag)
{
	uint64_t offset = OPROF_SLICE_HEADER_BYTES;
	int error;

	if (file_bytes < offset)
		return diag_set_at(diag, -EILSEQ, path, 0, "truncated while it was being opened");
	error = check_frame(&header->tables, "tables", &offset, file_bytes, path, diag);
	if (!error)
		error = check_frame(&header->keys, "keys", &offset, file_bytes, path, diag);
	if (!error)
		error = check_frame(&header->counts, "counts", &offset, file_bytes, path, diag);
	if (!error)
		error = check_frame(&header->weights, "weights", &offset, file_bytes, path, diag);
	if (!error)
		error = check_stacks(header, &offset, file_bytes, path, diag);
	if (!error && offset != file_bytes)
		error = diag_set_at(diag, -EILSEQ, path, 0,
				    "damaged: %llu bytes after its last frame",
				    (unsigned long long)(file_bytes - offset));
	return error;
}

/* Checks invariant 2 of doc/slice.md. */
static int check_fields(const struct oprof_slice_header *header, const char *path,
			struct diag *diag)
{
	const char *what = NULL;

	if (header->header_bytes != OPROF_SLICE_HEADER_BYTES)
		what = "length of its header";
	else if (header->level >= OPROF_SLICE_NR_LEVELS)
		what = "level";
	else if (header->epoch_first > header->epoch_last)
		what = "range of epochs";
	else if (header->begin_ns > header->end_ns)
		what = "time range";
	else if (header->first_sample_ns > header->last_sample_ns)
		what = "range of sample times";
	else if (!header->nr_keys != !header->keys.nr_raw_bytes ||
		 !header->nr_keys != !header->counts.nr_raw_bytes ||
		 (!header->nr_keys && header->weights.nr_raw_bytes) ||
		 header->nr_sections > header->nr_keys ||
		 header->nr_keys > header->keys.nr_raw_bytes ||
		 header->nr_keys > header->counts.nr_raw_bytes ||
		 header->nr_sections > header->tables.nr_raw_bytes)
		what = "number of keys";
	return what ? diag_set_at(diag, -EILSEQ, path, 0, "damaged: the %s is invalid", what) : 0;
}

int slice_header_load(int fd, const char *path, struct oprof_slice_header *header,
		      struct diag *diag)
{
	struct oprof_slice_header found;
	struct stat status;
	ssize_t nr_bytes;
	int error;

	if (fstat(fd, &status) < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	if (!S_ISREG(status.st_mode))
		return diag_set_at(diag, -EINVAL, path, 0, "not a slice: not a regular file");
	nr_bytes = file_pread_all(fd, &found, sizeof(found), 0);
	if (nr_bytes < 0)
		return diag_set_at(diag, (int)nr_bytes, path, 0, "%s", strerror((int)-nr_bytes));
	error = check_start(&found, (size_t)nr_bytes, path, diag);
	if (error)
		return error;
	slice_header_swap(&found);
	error = check_frames(&found, (uint64_t)status.st_size, path, diag);
	if (!error)
		error = check_fields(&found, path, diag);
	if (!error)
		*header = found;
	return error;
}
