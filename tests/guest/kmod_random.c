// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmod_random SEED WRITES: random writes to every control file, with the buffer closed, open, and
 * sampling. Checks that a setting always reads back as the last accepted value, and that each write
 * is accepted, or refused with the right error, as doc/kmod.md says. Runs in a guest.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/guest/kmod_files.h"
#include "tests/guest/kmod_numbers.h"
#include "tests/guest/stream_check.h"

/* The values that the module should have. */
static uint64_t expected[sizeof(kmod_numbers) / sizeof(*kmod_numbers)];
static int expected_enabled;
static uint64_t expected_thinning;
static int fd = -1; /* the buffer */
static struct stream_check check;
static uint64_t state;
static uint64_t nr_accepted, nr_refused, nr_busy, nr_wrong;

enum { BUFFER_SIZE, WATERSHED }; /* indexes of the table */

/* xorshift64 (Marsaglia 2003) */
static uint64_t random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t random_below(uint64_t end)
{
	return random_number() % end;
}

/* ---- random texts ---- */

struct text {
	char bytes[48];
	size_t nr_bytes;
	int is_number; /* the text is the number value */
	uint64_t value;
};

static uint64_t random_value(const struct kmod_number *number)
{
	switch (random_below(6)) {
	case 0:
		return number->max + random_below(3) - 1;
	case 1:
		return number->min + random_below(3) - 1;
	case 2:
		return random_number();
	case 3:
		return random_number() >> random_below(64);
	default:
		return random_below(number->max) + random_below(2);
	}
}

static void random_text(struct text *text, const struct kmod_number *number)
{
	static const char letters[] = "0123456789abcdefxX+- \n\t.,\0";
	size_t i;

	if (random_below(4)) {
		text->value = random_value(number);
		text->is_number = 1;
		snprintf(text->bytes, sizeof(text->bytes),
			 random_below(3) ? "%" PRIu64 : "0x%" PRIx64, text->value);
		if (random_below(2))
			strcat(text->bytes, "\n");
		text->nr_bytes = strlen(text->bytes);
		return;
	}
	text->is_number = 0;
	text->nr_bytes = random_below(sizeof(text->bytes));
	for (i = 0; i < text->nr_bytes; i++)
		text->bytes[i] = letters[random_below(sizeof(letters) - 1)];
	/* With this first letter the text cannot be a number. */
	if (text->nr_bytes)
		text->bytes[0] = '-';
}

/* ---- expected results ---- */

static int in_range(unsigned int index, uint64_t value)
{
	const struct kmod_number *number = &kmod_numbers[index];

	if (index == BUFFER_SIZE)
		return value >= 1024 && value <= number->max;
	if (index == WATERSHED)
		return value >= 1 && value <= kmod_numbers[BUFFER_SIZE].max;
	return value >= number->min && value <= number->max;
}

static int status_expected(unsigned int index, const struct text *text)
{
	if (!text->is_number || !in_range(index, text->value))
		return -EINVAL;
	if (fd >= 0)
		return -EBUSY;
	if (index == BUFFER_SIZE && text->value < expected[WATERSHED])
		return -EINVAL;
	if (index == WATERSHED && text->value > expected[BUFFER_SIZE])
		return -EINVAL;
	return 0;
}

static void wrong(const char *name, const char *what, int64_t got, int64_t wanted)
{
	if (nr_wrong++ < 20)
		printf("# %s: %s %" PRId64 ", not %" PRId64 " (buffer %s, %s)\n", name, what, got,
		       wanted, fd < 0 ? "closed" : "open",
		       expected_enabled ? "sampling" : "not sampling");
}

static void compare(unsigned int index)
{
	uint64_t got = kmod_number(kmod_numbers[index].name);

	if (got != expected[index])
		wrong(kmod_numbers[index].name, "reads", got, expected[index]);
}

static void write_setting(void)
{
	unsigned int index = random_below(3) ? random_below(kmod_nr_numbers) : random_below(6);
	struct text text;
	int status, wanted;

	random_text(&text, &kmod_numbers[index]);
	wanted = status_expected(index, &text);
	status = kmod_write(kmod_numbers[index].name, text.bytes, text.nr_bytes);
	if (status != wanted)
		wrong(kmod_numbers[index].name, "write gives", status, wanted);
	if (!status)
		expected[index] = text.value;
	nr_accepted += !status;
	nr_busy += status == -EBUSY;
	nr_refused += status == -EINVAL;
	compare(index);
}

/* ---- the run ---- */

static void read_what_is_there(void)
{
	static char room[65536];
	ssize_t nr;

	while ((nr = read(fd, room, sizeof(room))) > 0)
		stream_check_feed(&check, room, nr);
}

/* Sets values that every machine accepts, and the timer, so that samples are taken. */
static void make_sane(void)
{
	static const struct {
		const char *name;
		uint64_t value;
	} sane[] = {{"0/type", OPROF_KMOD_TYPE_TIMER},
		    {"0/hz", 1000},
		    {"0/kernel", 1},
		    {"0/user", 1},
		    {"0/enabled", 1}};
	unsigned int i, j;

	for (i = 0; i < kmod_nr_numbers; i++) {
		for (j = 0; j < sizeof(sane) / sizeof(*sane); j++)
			if (!strcmp(kmod_numbers[i].name, sane[j].name))
				expected[i] = sane[j].value;
		if (i > 6 && kmod_numbers[i].name[0] != '0' &&
		    strstr(kmod_numbers[i].name, "enabled"))
			expected[i] = 0;
		/* The memory of guests is small. */
		if (!strcmp(kmod_numbers[i].name, "cpu_buffer_size") && expected[i] > 65536)
			expected[i] = 65536;
		if (strchr(kmod_numbers[i].name, '/') || i == 2)
			if (expected[i] || !strstr(kmod_numbers[i].name, "count"))
				kmod_must(kmod_write_number(kmod_numbers[i].name, expected[i]),
					  kmod_numbers[i].name);
	}
}

static void open_or_close(void)
{
	if (fd >= 0) {
		close(fd);
		fd = -1;
		expected_enabled = 0;
		nr_wrong += check.nr_faults;
		stream_check_deinit(&check);
		memset(&check, 0, sizeof(check));
		return;
	}
	if (random_below(2))
		make_sane();
	fd = kmod_open("buffer", O_RDONLY | O_NONBLOCK);
	expected_thinning = 1;
	/* The random sizes may need more memory than there is. */
	if (fd < 0 && fd != -ENOMEM)
		kmod_must(fd, "buffer");
}

/* enable and dump have only the values 0 and 1; all others are errors. */
static void write_enable(void)
{
	struct kmod_number number = {"enable", 0, 1, 0};
	struct text text;
	int status;

	random_text(&text, &number);
	status = kmod_write("enable", text.bytes, text.nr_bytes);
	if (!status) {
		if (!text.is_number || text.value > 1 || fd < 0)
			wrong("enable", "write gives", status, -EINVAL);
		expected_enabled = text.value;
	} else if (text.is_number && text.value == 0 && fd >= 0) {
		wrong("enable", "write of 0 gives", status, 0);
	}
	if (kmod_number("enable") != (uint64_t)expected_enabled)
		wrong("enable", "reads", kmod_number("enable"), expected_enabled);
}

/* Sets the thinning of the run, if there is one: 1 to 1000, also while sampling. */
static void write_thinning(void)
{
	struct kmod_number number = {"thinning", 1, 1000, 1};
	struct text text;
	int status, wanted = -EINVAL;

	random_text(&text, &number);
	if (text.is_number && text.value >= 1 && text.value <= 1000 && fd >= 0) {
		wanted = 0;
		expected_thinning = text.value;
	}
	status = kmod_write("thinning", text.bytes, text.nr_bytes);
	if (status != wanted)
		wrong("thinning", "write gives", status, wanted);
	if (kmod_number("thinning") != expected_thinning)
		wrong("thinning", "reads", kmod_number("thinning"), expected_thinning);
	if (kmod_number("enable") != (uint64_t)expected_enabled)
		wrong("enable", "reads", kmod_number("enable"), expected_enabled);
}

static void write_dump(void)
{
	struct kmod_number number = {"dump", 0, UINT64_MAX, 0};
	struct text text;
	int status;

	random_text(&text, &number);
	status = kmod_write("dump", text.bytes, text.nr_bytes);
	if (status != (fd < 0 ? -EINVAL : 0))
		wrong("dump", "write gives", status, fd < 0 ? -EINVAL : 0);
}

static void step(void)
{
	uint64_t which = random_below(1000);

	if (which < 10)
		open_or_close();
	else if (which < 60)
		write_enable();
	else if (which < 70)
		write_dump();
	else if (which < 100)
		write_thinning();
	else
		write_setting();
	if (fd >= 0 && which % 4 == 0)
		read_what_is_there();
}

int main(int nr, char **words)
{
	uint64_t nr_writes, i, nr_sampling = 0;
	unsigned int index;

	if (nr != 3)
		return 2;
	state = strtoull(words[1], NULL, 0) * 2 + 1;
	nr_writes = strtoull(words[2], NULL, 0);
	kmod_numbers_init();
	for (index = 0; index < kmod_nr_numbers; index++)
		expected[index] = kmod_number(kmod_numbers[index].name);
	expected_thinning = kmod_number("thinning"); /* of the last run */
	for (i = 0; i < nr_writes; i++) {
		step();
		nr_sampling += expected_enabled;
	}
	if (fd >= 0)
		open_or_close();
	for (index = 0; index < kmod_nr_numbers; index++)
		compare(index);
	printf("# seed %s: %" PRIu64 " accepted, %" PRIu64 " refused, %" PRIu64 " busy; %" PRIu64
	       " steps while sampling\n",
	       words[1], nr_accepted, nr_refused, nr_busy, nr_sampling);
	printf("%s - random_writes_change_what_they_should_and_nothing_else\n",
	       nr_wrong || !nr_accepted || !nr_busy || !nr_sampling ? "not ok" : "ok");
	return nr_wrong != 0;
}
