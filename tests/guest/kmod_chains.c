// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmod_chains TYPE:CONFIG:COUNT DEPTH SECONDS PROGRAM SYMBOLS NR_RECURSE
 *
 * Samples PROGRAM (load_chain.c) with chains of DEPTH, and compares each chain with the program's
 * known calls. SYMBOLS: a file of lines "OFFSET NAME" in order, with hexadecimal offsets in the
 * file. Prints, for each place, the numbers of chains that were right, wrong, and marked as broken.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/guest/kmod_files.h"
#include "tests/guest/stream_check.h"

#define NR_SYMBOLS_MAX 64
#define READ_BYTES     (1 << 20)

struct symbol {
	uint64_t offset;
	char name[32];
};

enum place { IN_SPIN, IN_SPIN_KERNEL, IN_CALL, IN_ASTRAY, IN_NOWHERE, NR_PLACES };

static const char *const place_names[NR_PLACES] = {"spin", "interrupted", "call", "astray",
						   "nowhere"};

static struct symbol symbols[NR_SYMBOLS_MAX];
static size_t nr_symbols;
static const char *program_path;
static pid_t program_pid;
static uint32_t program_image;
static unsigned int depth, nr_recurse;
static uint64_t nr_right[NR_PLACES], nr_wrong[NR_PLACES], nr_broken[NR_PLACES];
static uint64_t nr_elsewhere, nr_kernel_callers, nr_links;

static void load_symbols(const char *path)
{
	FILE *file = fopen(path, "r");

	if (!file)
		kmod_must(-errno, path);
	while (nr_symbols < NR_SYMBOLS_MAX &&
	       fscanf(file, "%" SCNx64 " %31s", &symbols[nr_symbols].offset,
		      symbols[nr_symbols].name) == 2)
		nr_symbols++;
	fclose(file);
}

static uint64_t offset_of(const char *name)
{
	for (size_t i = 0; i < nr_symbols; i++)
		if (!strcmp(symbols[i].name, name))
			return symbols[i].offset;
	fprintf(stderr, "no symbol %s\n", name);
	exit(2);
}

static int is_between(uint64_t offset, const char *begin, const char *end)
{
	return offset >= offset_of(begin) && offset < offset_of(end);
}

/*
 * Returns the function at offset, ignoring labels in it. Caches the last result, because recursion
 * repeats it.
 */
static const char *function_at(uint64_t offset)
{
	static uint64_t last_offset = UINT64_MAX;
	static const char *name;

	if (offset == last_offset)
		return name;
	last_offset = offset;
	name = "";
	for (size_t i = 0; i < nr_symbols && symbols[i].offset <= offset; i++)
		if (!strstr(symbols[i].name, "_begin") && !strstr(symbols[i].name, "_end"))
			name = symbols[i].name;
	return name;
}

/* ---- what is expected ---- */

/* Returns the i-th caller of chain_spin, chain_call and chain_astray, or NULL after the last. */
static const char *caller(unsigned int i)
{
	if (i < nr_recurse)
		return "chain_recurse";
	if (i == nr_recurse)
		return "chain_main";
	return i == nr_recurse + 1 ? "_start" : NULL;
}

/*
 * Checks that the nr frames are the callers from the first on, as far as room allows, and that
 * truncated agrees.
 */
static int is_right(const struct oprof_frame *frames, unsigned int nr, unsigned int room,
		    int truncated)
{
	unsigned int nr_all = nr_recurse + 2;

	if (nr != (nr_all < room ? nr_all : room) || truncated != (nr_all > room))
		return 0;
	for (unsigned int i = 0; i < nr; i++)
		if (frames[i].image != program_image || frames[i].mode != OPROF_MODE_USER ||
		    strcmp(function_at(frames[i].offset), caller(i)))
			return 0;
	return 1;
}

static void show(const struct oprof_sample *sample, enum place place)
{
	const struct oprof_frame *frames = (const void *)(sample + 1);

	if (nr_wrong[place] > 3)
		return;
	printf("# %s: flags %#x, kind %u, leaf %#" PRIx64 ", %u callers:", place_names[place],
	       sample->head.flags, sample->chain_kind, sample->leaf.offset, sample->nr_frames);
	for (unsigned int i = 0; i < sample->nr_frames; i++)
		printf(" %u:%#" PRIx64 "(%s)", frames[i].image, frames[i].offset,
		       frames[i].mode == OPROF_MODE_USER ? function_at(frames[i].offset)
							 : "kernel");
	printf("\n");
}

static void count(const struct oprof_sample *sample, enum place place, int right)
{
	if (right) {
		nr_right[place]++;
		return;
	}
	nr_wrong[place]++;
	show(sample, place);
}

/* The callers follow nr_before frames: the kernel's, and the one where the program entered it. */
static void judge(const struct oprof_sample *sample, enum place place, unsigned int nr_before)
{
	const struct oprof_frame *frames = (const void *)(sample + 1);
	int truncated = !!(sample->head.flags & OPROF_SAMPLE_CHAIN_TRUNCATED);

	if (sample->head.flags & OPROF_SAMPLE_CHAIN_BROKEN) {
		nr_broken[place]++;
		return;
	}
	count(sample, place,
	      is_right(frames + nr_before, sample->nr_frames - nr_before, depth - nr_before,
		       truncated));
}

/* The chain ends there and must be marked as broken. */
static void judge_astray(const struct oprof_sample *sample)
{
	int broken = !!(sample->head.flags & OPROF_SAMPLE_CHAIN_BROKEN);

	count(sample, IN_ASTRAY, sample->nr_frames == 0 && broken == (depth > 0));
}

/* A frame whose return address is 0 is the last one, whatever frame pointer it holds. */
static void judge_nowhere(const struct oprof_sample *sample)
{
	count(sample, IN_NOWHERE, sample->nr_frames == 0 && !sample->head.flags);
}

static void judge_kernel(const struct oprof_sample *sample)
{
	const struct oprof_frame *frames = (const void *)(sample + 1);
	unsigned int nr = 0;

	while (nr < sample->nr_frames && frames[nr].mode == OPROF_MODE_KERNEL)
		nr++;
	nr_kernel_callers += nr;
	if (nr == sample->nr_frames)
		nr_elsewhere++; /* depth was too small for user frames */
	else if (is_between(frames[nr].offset, "chain_spin_begin", "chain_spin_end"))
		judge(sample, IN_SPIN_KERNEL, nr + 1);
	else if (!strcmp(function_at(frames[nr].offset), "chain_call"))
		judge(sample, IN_CALL, nr + 1);
	else
		nr_elsewhere++;
}

/*
 * Returns the sample without its link, which is for readers that know the program's unwind tables.
 * Counts the links that lead to the caller: on arm64 the link of a leaf function does.
 */
static const struct oprof_sample *unlinked(const struct oprof_sample *sample)
{
	static struct {
		struct oprof_sample head;
		struct oprof_frame frames[OPROF_KMOD_FRAMES_MAX];
	} copy;
	const struct oprof_frame *frames = (const void *)(sample + 1);
	unsigned int nr = sample->nr_frames, at = 0;

	if (!(sample->head.flags & OPROF_KMOD_SAMPLE_LINK))
		return sample;
	if (sample->mode == OPROF_MODE_KERNEL) {
		while (at < nr && frames[at].mode == OPROF_MODE_KERNEL)
			at++;
		at++;
	}
	if (at >= nr || nr > OPROF_KMOD_FRAMES_MAX)
		return sample;
	if (frames[at].image == program_image &&
	    !strcmp(function_at(frames[at].offset), "chain_recurse"))
		nr_links++;
	copy.head = *sample;
	copy.head.nr_frames--;
	copy.head.head.flags &= (uint16_t)~OPROF_KMOD_SAMPLE_LINK;
	memcpy(copy.frames, frames, at * sizeof(*frames));
	memcpy(copy.frames + at, frames + at + 1, (nr - at - 1) * sizeof(*frames));
	return &copy.head;
}

static void on_sample(struct stream_check *check, const struct oprof_sample *sample)
{
	sample = unlinked(sample);
	if (check->task.tgid != program_pid || !program_image)
		return;
	if (!depth &&
	    (sample->nr_frames || sample->chain_kind != OPROF_CHAIN_NONE || sample->head.flags)) {
		nr_wrong[IN_SPIN]++;
		show(sample, IN_SPIN);
	} else if (sample->mode == OPROF_MODE_KERNEL) {
		judge_kernel(sample);
	} else if (sample->leaf.image != program_image) {
		nr_elsewhere++;
	} else if (is_between(sample->leaf.offset, "chain_spin_begin", "chain_spin_end")) {
		if (depth)
			judge(sample, IN_SPIN, 0);
		else
			nr_right[IN_SPIN]++;
	} else if (is_between(sample->leaf.offset, "chain_astray_begin", "chain_astray_end")) {
		judge_astray(sample);
	} else if (is_between(sample->leaf.offset, "chain_nowhere_begin", "chain_nowhere_end")) {
		judge_nowhere(sample);
	} else {
		nr_elsewhere++;
	}
}

static void on_file(struct stream_check *check, uint32_t cookie)
{
	struct oprof_kmod_image_open open = {.image = cookie};
	char link[64], path[4096] = "";

	if (ioctl(check->fd, OPROF_KMOD_IMAGE_OPEN, &open))
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", open.fd);
	if (readlink(link, path, sizeof(path) - 1) > 0 && !strcmp(path, program_path))
		program_image = cookie;
	close(open.fd);
}

/* ---- the run ---- */

static void use_event(const char *text)
{
	uint64_t type, config, nr;

	if (sscanf(text, "%" SCNi64 ":%" SCNi64 ":%" SCNi64, &type, &config, &nr) != 3)
		kmod_must(-EINVAL, text);
	kmod_use_timer(1000000);
	kmod_must(kmod_write_number("0/type", type), "type");
	kmod_must(kmod_write_number("0/event", config), "event");
	kmod_must(kmod_write_number("0/count", nr), "count");
	kmod_must(kmod_write_number("backtrace_depth", depth), "backtrace_depth");
}

/* Reads all records until end, because samples may come as fast as they are read. */
static void read_until(struct stream_check *check, void *room, time_t end)
{
	ssize_t nr;

	while (time(NULL) <= end && (nr = read(check->fd, room, READ_BYTES)) > 0)
		stream_check_feed(check, room, (size_t)nr);
}

/* Reads all records of a stopped source. */
static void read_rest(struct stream_check *check, void *room)
{
	ssize_t nr;

	while ((nr = read(check->fd, room, READ_BYTES)) > 0)
		stream_check_feed(check, room, (size_t)nr);
}

static void run(struct stream_check *check, unsigned int seconds)
{
	void *room = malloc(READ_BYTES);
	time_t end = time(NULL) + seconds;

	check->fd = kmod_open("buffer", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	kmod_must(check->fd < 0 ? check->fd : 0, "buffer");
	program_pid = fork();
	if (!program_pid) {
		execl(program_path, program_path, (char *)NULL);
		_exit(127);
	}
	kmod_must(kmod_write_number("enable", 1), "enable");
	while (time(NULL) <= end) {
		usleep(100000);
		read_until(check, room, end);
	}
	kmod_must(kmod_write_number("enable", 0), "enable");
	kmod_must(kmod_write_text("dump", "1"), "dump");
	read_rest(check, room);
	kill(program_pid, SIGKILL);
	waitpid(program_pid, NULL, 0);
	stream_check_sums(check);
	close(check->fd);
	free(room);
}

int main(int argc, char **argv)
{
	struct stream_check check = {.file = on_file, .sample = on_sample};

	if (argc != 7)
		return 2;
	depth = (unsigned int)strtoul(argv[2], NULL, 10);
	program_path = argv[4];
	nr_recurse = (unsigned int)strtoul(argv[6], NULL, 10);
	load_symbols(argv[5]);
	use_event(argv[1]);
	run(&check, (unsigned int)strtoul(argv[3], NULL, 10));
	for (int i = 0; i < NR_PLACES; i++)
		printf("%s right %" PRIu64 " wrong %" PRIu64 " broken %" PRIu64 "\n",
		       place_names[i], nr_right[i], nr_wrong[i], nr_broken[i]);
	printf("elsewhere %" PRIu64 "\nkernel_callers %" PRIu64 "\nlinks %" PRIu64
	       "\nfaults %" PRIu64 "\n",
	       nr_elsewhere, nr_kernel_callers, nr_links, check.nr_faults);
	stream_check_deinit(&check);
	return check.nr_faults != 0;
}
