// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the module's buffer while a load runs, checks all statements of doc/kmod.md about the
 * stream, and prints the samples by image. Runs in a guest with the control filesystem mounted. The
 * exit status is 1 if any check failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/guest/kmod_files.h"
#include "tests/guest/stream_check.h"

static const char usage_text[] =
	"kmod_read [OPTION]... [-- COMMAND...]: sample while COMMAND runs, or two loops for -t\n"
	"	-t SECONDS (5)\n"
	"	-n NS		the timer's period (1000000)\n"
	"	-e TYPE:CONFIG:COUNT	that event of perf instead of the timer\n"
	"	-T NS		and the timer with this period, as counter 1\n"
	"	-d DEPTH	callers\n"
	"	-b, -w, -c SAMPLES	buffer_size, buffer_watershed, cpu_buffer_size\n"
	"	-r BYTES	room of a read (1048576)\n"
	"	-z MS		wait so long between reads\n"
	"	-S		switches, too\n"
	"	-v		each sample\n";

struct options {
	unsigned int seconds, wait_ms;
	uint64_t period_ns, second_ns;
	const char *event;
	uint64_t depth, buffer, watershed, cpu_buffer;
	size_t read_bytes;
	int switches, verbose;
	char **command;
};

static void usage(void)
{
	fputs(usage_text, stderr);
	exit(2);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end == text || *end)
		usage();
	return value;
}

static void options_parse(struct options *options, int nr, char **words)
{
	int letter;

	while ((letter = getopt(nr, words, "t:n:e:T:d:b:w:c:r:z:Sv")) != -1) {
		if (letter == 't')
			options->seconds = number(optarg);
		else if (letter == 'n')
			options->period_ns = number(optarg);
		else if (letter == 'e')
			options->event = optarg;
		else if (letter == 'T')
			options->second_ns = number(optarg);
		else if (letter == 'd')
			options->depth = number(optarg);
		else if (letter == 'b')
			options->buffer = number(optarg);
		else if (letter == 'w')
			options->watershed = number(optarg);
		else if (letter == 'c')
			options->cpu_buffer = number(optarg);
		else if (letter == 'r')
			options->read_bytes = number(optarg);
		else if (letter == 'z')
			options->wait_ms = number(optarg);
		else if (letter == 'S')
			options->switches = 1;
		else if (letter == 'v')
			options->verbose = 1;
		else
			usage();
	}
	if (optind < nr)
		options->command = words + optind;
}

/* ---- settings ---- */

static void set(const char *name, uint64_t value)
{
	kmod_must(kmod_write_number(name, value), name);
}

static void use_event(const char *text)
{
	uint64_t type, config, count;

	if (sscanf(text, "%" SCNi64 ":%" SCNi64 ":%" SCNi64, &type, &config, &count) != 3)
		usage();
	set("0/type", type);
	set("0/event", config);
	set("0/count", count);
}

static void use_second_timer(uint64_t period_ns)
{
	set("1/type", OPROF_KMOD_TYPE_TIMER);
	set("1/count", period_ns);
	set("1/enabled", 1);
}

static void settings_write(const struct options *options)
{
	kmod_use_timer(options->period_ns);
	if (options->second_ns)
		use_second_timer(options->second_ns);
	if (options->event)
		use_event(options->event);
	set("backtrace_depth", options->depth);
	set("switches", options->switches);
	set("buffer_watershed", 1);
	set("buffer_size", options->buffer);
	set("buffer_watershed", options->watershed);
	set("cpu_buffer_size", options->cpu_buffer);
}

/* ---- the load ---- */

static volatile uint64_t load_sum;

__attribute__((noinline)) static void load_user(void)
{
	for (int i = 0; i < 100000; i++)
		load_sum += i * load_sum;
}

__attribute__((noinline)) static void load_kernel(void)
{
	for (int i = 0; i < 100; i++)
		syscall(SYS_getppid);
}

static pid_t load_start(char **command)
{
	pid_t pid = fork();

	if (pid < 0)
		kmod_must(-errno, "fork");
	if (pid)
		return pid;
	if (command) {
		execvp(command[0], command);
		kmod_must(-errno, command[0]);
	}
	for (;;) {
		load_user();
		load_kernel();
	}
}

/* ---- the stream ---- */

/* Looks up the path of a new cookie; the descriptor of each file can be requested. */
static void on_file(struct stream_check *check, uint32_t cookie)
{
	struct oprof_kmod_image_open open = {.image = cookie};
	char link[64], path[4096] = "";

	if (ioctl(check->fd, OPROF_KMOD_IMAGE_OPEN, &open)) {
		/* A record that is not yet read may have released the cookie. */
		if (errno != ENOENT) {
			printf("# cookie %u can't be opened: %s\n", cookie, strerror(errno));
			check->nr_faults++;
		}
		return;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", open.fd);
	if (readlink(link, path, sizeof(path) - 1) < 0)
		kmod_must(-errno, link);
	free(check->images[cookie].name);
	check->images[cookie].name = strdup(path);
	close(open.fd);
	if (!ioctl(check->fd, OPROF_KMOD_IMAGE_OPEN, &open) || errno != ESTALE) {
		printf("# cookie %u can be opened again\n", cookie);
		check->nr_faults++;
	}
}

static void on_sample(struct stream_check *check, const struct oprof_sample *sample)
{
	printf("sample %" PRIu64 " cpu %u tgid %d tid %d mode %u image %u offset %#" PRIx64
	       " frames %u\n",
	       sample->time_ns, check->cpu, check->task.tgid, check->task.tid, sample->mode,
	       sample->leaf.image, sample->leaf.offset, sample->nr_frames);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

/* Reads everything that is available without waiting. */
static void read_rest(struct stream_check *check, void *room, size_t room_bytes)
{
	ssize_t nr;

	while ((nr = read(check->fd, room, room_bytes)) > 0)
		stream_check_feed(check, room, nr);
	if (!nr || errno != EAGAIN)
		kmod_must(nr ? -errno : -EIO, "read");
}

static void read_while(struct stream_check *check, const struct options *options, void *room,
		       pid_t pid)
{
	uint64_t end_ms = now_ms() + options->seconds * 1000ull;
	struct pollfd poll_fd = {.fd = check->fd, .events = POLLIN};

	while (options->command ? waitpid(pid, NULL, WNOHANG) == 0 : now_ms() < end_ms) {
		poll(&poll_fd, 1, 100);
		if (options->wait_ms)
			usleep(options->wait_ms * 1000);
		read_rest(check, room, options->read_bytes);
	}
}

static void run(struct stream_check *check, const struct options *options)
{
	void *room = malloc(options->read_bytes);
	pid_t pids[2] = {0, 0};

	check->fd = kmod_open("buffer", O_RDONLY | O_NONBLOCK);
	if (check->fd < 0)
		kmod_must(check->fd, "buffer");
	pids[0] = load_start(options->command);
	if (!options->command)
		pids[1] = load_start(NULL);
	kmod_must(kmod_write_number("enable", 1), "enable");
	read_while(check, options, room, pids[0]);
	for (int i = 0; !options->command && i < 2; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	kmod_must(kmod_write_number("enable", 0), "enable");
	kmod_must(kmod_write_text("dump", "1"), "dump");
	read_rest(check, room, options->read_bytes);
	stream_check_sums(check);
	close(check->fd);
	free(room);
}

/* ---- results ---- */

static void print_images(const struct stream_check *check)
{
	size_t i;

	for (i = 0; i < check->nr_images; i++)
		if (check->images[i].nr_samples)
			printf("image %zu kind %u samples %" PRIu64 " %s\n", i,
			       check->images[i].kind, check->images[i].nr_samples,
			       check->images[i].name ? check->images[i].name : "-");
}

static void check_references(struct stream_check *check)
{
	uint64_t taken = kmod_stats("references_taken");
	uint64_t dropped = kmod_stats("references_dropped");

	if (taken == dropped)
		return;
	printf("# references: %" PRIu64 " taken, %" PRIu64 " let go\n", taken, dropped);
	check->nr_faults++;
}

static void print_sums(const struct stream_check *check)
{
	int i;

	printf("records %" PRIu64 " samples %" PRIu64 " user %" PRIu64 " kernel %" PRIu64
	       " frames %" PRIu64 " switches %" PRIu64 " ends %" PRIu64 "\n",
	       check->nr_records, check->nr_samples, check->nr_user, check->nr_kernel,
	       check->nr_frames, check->nr_switches, check->nr_ends);
	for (i = 0; i < OPROF_LOST_NR; i++)
		if (check->lost_by[i])
			printf("lost reason %d samples %" PRIu64 "\n", i, check->lost_by[i]);
	printf("seen %" PRIu64 " nmi %" PRIu64 " interrupt %" PRIu64 " task %" PRIu64 "\n",
	       kmod_stats("seen"), kmod_stats("in_nmi"), kmod_stats("in_interrupt"),
	       kmod_stats("in_task"));
	printf("faults %" PRIu64 "\n", check->nr_faults);
}

int main(int nr, char **words)
{
	struct options options = {
		.seconds = 5,
		.period_ns = 1000000,
		.buffer = 131072,
		.watershed = 1024,
		.cpu_buffer = 8192,
		.read_bytes = 1 << 20,
	};
	struct stream_check check = {.file = on_file};
	uint64_t nr_faults;

	setvbuf(stdout, NULL, _IOLBF, 0);
	options_parse(&options, nr, words);
	if (options.verbose)
		check.sample = on_sample;
	settings_write(&options);
	run(&check, &options);
	check_references(&check);
	print_images(&check);
	print_sums(&check);
	nr_faults = check.nr_faults;
	stream_check_deinit(&check);
	return nr_faults != 0;
}
