// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kill -9 at any store to a sample file and between any two changes of files
 * while slices are closed and merged. A process files samples one by one,
 * acknowledges each in shared memory, and is killed at a random point; the next
 * process continues in the same folder. After each kill every file is good by
 * the checks of opcheck, and together the files hold each acknowledged sample
 * and at most one more; likewise the samples of each key and the call trees.
 *
 * OPROF_KILLS=N sets the number of kills (10,000 with OPROF_CHECK_ALL=1),
 * OPROF_SEED the seed.
 */
#include "daemon/profiler/profiler.h"
#include "lib/log.h"
#include "libdb/sdb_internal.h"
#include "tests/fixture/fake_source.h"
#include "tests/fixture/seed.h"
#include "tests/fixture/session_sum.h"
#include "tests/fixture/stack_sum.h"
#include "tests/fixture/test_folder.h"
#include "tests/fixture/thorough.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_KILLS_FEW	90
#define NR_KILLS_ALL	10000
#define KILLS_A_SESSION 50 /* then a new session begins: the checks read all of it */
#define SAMPLES_A_CLOSE 60
#define MINUTES_A_CLOSE 10
#define CLOSES_MAX	40 /* in one process */
#define NR_IMAGES	6
#define GROWTH_STORES	3 /* an insert with more stores has to make room */
#define SECOND_NS	INT64_C(1000000000)

enum place { PLACE_START, PLACE_INSERT, PLACE_GROWTH, PLACE_CLOSE, PLACE_MERGE, NR_PLACES };

static const char *const place_names[NR_PLACES] = {"start", "insert", "growth", "close", "merge"};

static struct shared {
	uint64_t nr_acknowledged;
	uint64_t nr_kills[NR_PLACES];
	int64_t realtime_ns; /* the processes' clock */
	uint64_t monotonic_ns;
	uint64_t random;
} * shared;

/* State of the process that will be killed. */
static struct session session;
static struct profiler profiler;
static pid_t daemon_pid;
static enum place at;
static unsigned int nr_stores; /* in this insert */
static enum place kill_at;
static uint64_t kill_after; /* kill at the Nth point in that place */

static uint64_t random_below(uint64_t end)
{
	shared->random ^= shared->random << 13;
	shared->random ^= shared->random >> 7;
	shared->random ^= shared->random << 17;
	return shared->random % end;
}

static void point(enum place place)
{
	if (place != kill_at || --kill_after)
		return;
	shared->nr_kills[place]++;
	/* Kill the process group: a merging child dies as well, as when the machine runs out of
	 * memory. */
	(void)kill(0, SIGKILL);
	(void)pause();
}

void sdb_fault_point(void)
{
	if (at == PLACE_INSERT && ++nr_stores > GROWTH_STORES)
		point(PLACE_GROWTH);
	else
		point(at);
}

static void step(void)
{
	point(getpid() == daemon_pid ? at : PLACE_MERGE);
}

static void now(struct moment *moment)
{
	moment->realtime_ns = shared->realtime_ns;
	moment->monotonic_ns = shared->monotonic_ns;
}

static const struct event_choice events[] = {
	{.name = "cpu-clock", .frequency = true, .period_or_hz = 99, .kernel = true, .user = true},
};

static const struct profiler_config config = {
	.ops = &source_fake,
	.source = {.events = events, .nr_events = 1, .target = SOURCE_SYSTEM, .chain_depth = 16},
	.history = {.now = now, .step = step},
};

static void begin_source(void)
{
	char path[32];

	fake_init(NULL);
	for (uint32_t i = 1; i <= NR_IMAGES; i++) {
		(void)snprintf(path, sizeof(path), "/bin/program%u", i);
		fake_image(i, OPROF_IMAGE_FILE, path);
	}
}

static void kill_here(enum place place)
{
	kill_at = place;
	kill_after = 1;
}

static void pass(int64_t seconds)
{
	shared->realtime_ns += seconds * SECOND_NS;
	shared->monotonic_ns += (uint64_t)(seconds * SECOND_NS);
}

static struct oprof_frame random_frame(uint64_t nr_places)
{
	return (struct oprof_frame){
		.image = (uint32_t)(1 + random_below(NR_IMAGES)),
		.mode = OPROF_MODE_USER,
		.offset = random_below(nr_places) * 16,
	};
}

static void insert(void)
{
	const struct oprof_frame leaf = random_frame(4096);
	struct oprof_frame callers[4];
	uint16_t nr = (uint16_t)random_below(5);

	for (uint16_t i = 0; i < nr; i++)
		callers[i] = random_frame(3);
	at = PLACE_INSERT;
	nr_stores = 0;
	fake_stack(0, &leaf, callers, nr, 0);
	profiler_round(&profiler, SOURCE_DRAIN_ALL);
	shared->nr_acknowledged++;
}

/* The clock advances second by second: a jump would be taken for a suspended machine. */
static void close_slice(void)
{
	at = PLACE_CLOSE;
	for (unsigned int i = 0; i < MINUTES_A_CLOSE; i++) {
		pass(1);
		profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	}
	pass(60 * MINUTES_A_CLOSE - MINUTES_A_CLOSE);
	(void)profiler_close_epoch(&profiler);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
}

static _Noreturn void live_until_killed(void)
{
	unsigned int nr_tries = 10000;
	struct diag diag;
	int error;

	(void)setpgid(0, 0);
	daemon_pid = getpid();
	begin_source();
	at = PLACE_START;
	/* A child of the process killed before was killed with it, and may still be ending. */
	while ((error = session_lock(&session, ".", &diag)) == -EBUSY && nr_tries--)
		(void)usleep(1000);
	if (error || profiler_open(&profiler, &session, &config, &diag)) {
		(void)fprintf(stderr, "# %s\n", diag.text);
		_exit(EXIT_FAILURE);
	}
	(void)profiler_start(&profiler);
	fake_cpu(0);
	fake_task(1, 1, 1, 0);
	/* If the chosen place has too few points, kill at another. Merges are rare: insert less
	 * for them. */
	if (kill_at == PLACE_START)
		kill_here(PLACE_INSERT);
	for (unsigned int nr = 0;; nr++) {
		if (nr == CLOSES_MAX)
			kill_here(PLACE_CLOSE);
		for (unsigned int i = 0; i < (kill_at == PLACE_MERGE ? 4 : SAMPLES_A_CLOSE); i++)
			insert();
		close_slice();
		history_reap(&profiler.history, true);
	}
}

static void choose_kill(void)
{
	static const uint64_t reach[NR_PLACES] = {12, 500, 200, 100, 8};

	kill_at = (enum place)random_below(NR_PLACES);
	kill_after = 1 + random_below(reach[kill_at]);
}

static void verify_stacks(uint64_t *nr_before, unsigned int nr)
{
	struct stack_sum sum;
	struct diag diag;

	diag_clear(&diag);
	ck_assert_msg(!stack_sum_init(&sum, "samples/current", &diag), "kill %u, at %s: %s", nr,
		      place_names[kill_at], diag_show(&diag));
	ck_assert_msg(sum.nr_samples == *nr_before + shared->nr_acknowledged ||
			      sum.nr_samples == *nr_before + shared->nr_acknowledged + 1,
		      "kill %u, at %s: %lu stacks acknowledged, %lu there", nr,
		      place_names[kill_at], (unsigned long)(*nr_before + shared->nr_acknowledged),
		      (unsigned long)sum.nr_samples);
	*nr_before = sum.nr_samples;
	stack_sum_deinit(&sum);
}

static void verify(uint64_t *nr_before, unsigned int nr)
{
	struct session_sum sum;

	ck_assert_int_eq(session_sum(&sum, "samples/current"), 0);
	ck_assert_msg(!sum.nr_damaged, "kill %u, at %s: %s", nr, place_names[kill_at],
		      sum.first_damage);
	ck_assert_msg(sum.nr_samples == *nr_before + shared->nr_acknowledged ||
			      sum.nr_samples == *nr_before + shared->nr_acknowledged + 1,
		      "kill %u, at %s: %lu samples acknowledged, %lu there", nr,
		      place_names[kill_at], (unsigned long)(*nr_before + shared->nr_acknowledged),
		      (unsigned long)sum.nr_samples);
	*nr_before = sum.nr_samples;
}

static void kill_one(uint64_t *nr_before, uint64_t *nr_stacks_before, unsigned int nr)
{
	int status;
	pid_t pid;

	shared->nr_acknowledged = 0;
	choose_kill();
	pass(1);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		live_until_killed();
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
		      "kill %u, at %s: ended with status 0x%x instead", nr, place_names[kill_at],
		      (unsigned int)status);
	verify(nr_before, nr);
	verify_stacks(nr_stacks_before, nr);
}

static unsigned int nr_kills_wanted(void)
{
	const char *asked = getenv("OPROF_KILLS");

	if (asked)
		return (unsigned int)strtoul(asked, NULL, 10);
	return thorough_all() ? NR_KILLS_ALL : NR_KILLS_FEW / thorough_stride(1);
}

static void begin_lot(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	shared->random = seed_of_this_run() | 1;
	printf("# OPROF_SEED=%lu\n", (unsigned long)shared->random);
	shared->realtime_ns = INT64_C(1800000000) * SECOND_NS;
	shared->monotonic_ns = UINT64_C(1000000000000);
}

START_TEST(what_was_acknowledged_before_a_kill_is_there_once)
{
	const unsigned int nr_wanted = nr_kills_wanted();
	unsigned int nr = 0;

	begin_lot();
	/* A kill does not need a disk, and syncs of other programs would delay the test. */
	if (!access("/dev/shm", W_OK))
		(void)setenv("TMPDIR", "/dev/shm", 0);
	while (nr < nr_wanted) {
		uint64_t nr_before = 0, nr_stacks_before = 0;

		test_folder_setup();
		log_init("test", LOG_LEVEL_ERROR);
		ck_assert_int_eq(log_open("log"), 0);
		for (unsigned int i = 0; i < KILLS_A_SESSION && nr < nr_wanted; i++)
			kill_one(&nr_before, &nr_stacks_before, nr++);
		test_folder_teardown();
	}
	for (unsigned int i = 0; i < NR_PLACES; i++) {
		printf("# %lu kills at %s\n", (unsigned long)shared->nr_kills[i], place_names[i]);
		ck_assert_msg(nr_wanted < NR_KILLS_FEW || shared->nr_kills[i] >= nr_wanted / 50,
			      "few kills at %s", place_names[i]);
	}
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("history_kills");

	tcase_set_timeout(tc, 3000);
	tcase_add_test(tc, what_was_acknowledged_before_a_kill_is_there_once);
	return test_run(tc);
}
