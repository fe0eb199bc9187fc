// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile bytes in the kernel module's buffer.
 *
 * The input: a byte (bit 0: switches are wanted), then operations of an operation byte, a byte with
 * a length in words, and data. Bits 6-7 of the operation byte: 0, 1 add a record of the type in
 * bits 0-3, with a correct size; 2 parses the records added so far, then the data unchanged; 3
 * parses them, then reports switches up to a time given by the length.
 *
 * Checked at the end: seen = samples out + lost, whatever the damage.
 */
#include "daemon/module_source/kmod_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_EVENTS 2
#define NR_WORDS  4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz {
	struct record_sink sink;
	struct kmod_state state;
	uint64_t nr_out, nr_lost;
	uint64_t words[NR_WORDS];
	size_t nr_words;
};

static void fuzz_record(struct record_sink *sink, const struct oprof_record *record)
{
	struct fuzz *fuzz = (struct fuzz *)(void *)sink;
	const void *whole = record;

	if (record->type == OPROF_RECORD_SAMPLE)
		fuzz->nr_out++;
	else if (record->type == OPROF_RECORD_LOST)
		fuzz->nr_lost += ((const struct oprof_lost_record *)whole)->nr_samples;
}

/* Some cookies have a file, some have none, and some have lost theirs. */
static int fuzz_open(int buffer_fd, uint32_t cookie)
{
	static int file = -1;

	(void)buffer_fd;
	if (file < 0)
		file = memfd_create("file", MFD_CLOEXEC);
	if (cookie % 4 == 3)
		return -ENOENT;
	return cookie % 4 == 2 ? -EMFILE : dup(file);
}

static struct fuzz *fuzz_create(bool switches)
{
	struct fuzz *fuzz = calloc(1, sizeof(*fuzz));
	struct kmod_state_config config = {
		.places = {.proc_path = "/none", .sys_path = "/none"},
		.nr_events = NR_EVENTS,
		.want_cgroup = true,
		.want_switches = switches,
		.open = fuzz_open,
	};

	if (!fuzz)
		abort();
	fuzz->sink.record = fuzz_record;
	config.places.sink = &fuzz->sink;
	if (kmod_state_init(&fuzz->state, &config, NULL))
		abort();
	return fuzz;
}

static void fuzz_read(struct fuzz *fuzz)
{
	kmod_state_apply(&fuzz->state, fuzz->words, fuzz->nr_words * 8);
	fuzz->nr_words = 0;
}

/* Takes nr_words words of the input; missing ones are 0. */
static void fuzz_take(struct fuzz *fuzz, size_t nr_words, const uint8_t **data, size_t *size)
{
	size_t nr = nr_words * 8 < *size ? nr_words * 8 : *size;
	uint64_t *to;

	if (fuzz->nr_words + nr_words > NR_WORDS)
		fuzz_read(fuzz);
	to = fuzz->words + fuzz->nr_words;
	memset(to, 0, nr_words * 8);
	memcpy(to, *data, nr);
	fuzz->nr_words += nr_words;
	*data += nr;
	*size -= nr;
}

static void fuzz_fit(struct fuzz *fuzz, uint8_t type, size_t nr_words, const uint8_t **data,
		     size_t *size)
{
	struct oprof_record *head;

	if (!nr_words)
		nr_words = 1;
	fuzz_take(fuzz, nr_words, data, size);
	head = (struct oprof_record *)(void *)(fuzz->words + fuzz->nr_words - nr_words);
	head->type = type;
	head->size_bytes = (uint32_t)nr_words * 8;
}

static void fuzz_run(struct fuzz *fuzz, const uint8_t *data, size_t size)
{
	while (size >= 2) {
		uint8_t operation = data[0];
		size_t number = data[1];

		data += 2;
		size -= 2;
		if (operation >> 6 < 2) {
			fuzz_fit(fuzz, operation & 15, number, &data, &size);
			continue;
		}
		fuzz_read(fuzz);
		if (operation >> 6 == 2) {
			fuzz_take(fuzz, number, &data, &size);
			fuzz_read(fuzz);
		} else {
			kmod_switches_tell(&fuzz->state.switches, &fuzz->state.places.writer,
					   number);
		}
	}
	fuzz_read(fuzz);
	kmod_switches_tell(&fuzz->state.switches, &fuzz->state.places.writer, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz *fuzz;

	if (!size)
		return 0;
	fuzz = fuzz_create(data[0] & 1);
	fuzz_run(fuzz, data + 1, size - 1);
	if (fuzz->state.counters.seen != fuzz->nr_out + fuzz->nr_lost)
		abort();
	kmod_state_deinit(&fuzz->state);
	free(fuzz);
	return 0;
}
