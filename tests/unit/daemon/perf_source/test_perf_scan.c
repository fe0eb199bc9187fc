// SPDX-License-Identifier: GPL-2.0-or-later
/* Scans of /proc and records of the same time: no sample is put into a wrong image. */
#include "daemon/image/image_alias.h"
#include "daemon/image/vdso.h"
#include "daemon/perf_source/perf_state_internal.h"
#include "daemon/places/proc_scan.h"
#include "lib/clock.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/replay.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAPS_OF(path)                                                                              \
	"00400000-00402000 r-xp 00001000 fe:00 11                         " path "\n"              \
	"00402000-00403000 rw-p 00003000 fe:00 11                         " path "\n"              \
	"00700000-00702000 r-xp 00000000 fe:00 12                         /lib/c\n"                \
	"00800000-00801000 rwxp 00000000 00:00 0 \n"

static struct fake_proc proc;
static struct replay *replay;
static time_t shift_s; /* how far the clocks of this program are ahead */

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	const int error = __real_clock_gettime(clock, time);

	time->tv_sec += shift_s;
	return error;
}

static void setup(void)
{
	struct replay_config config = {.proc_path = proc.path};

	fake_proc_init(&proc);
	ck_assert_int_eq(replay_create(&replay, &config), 0);
}

static void teardown(void)
{
	replay_destroy(replay);
	fake_proc_deinit(&proc);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void scan(void)
{
	ck_assert_int_eq(perf_state_scan(replay->state, NULL, 0), 0);
}

static void sample(uint64_t time_ns, int pid, uint64_t ip, const char *wanted)
{
	struct perf_item item = {.time_ns = time_ns,
				 .type = PERF_RECORD_SAMPLE,
				 .misc = PERF_RECORD_MISC_USER,
				 .pid = pid,
				 .tid = pid,
				 .u.sample = {.ip = ip, .period = 1}};

	replay_item(replay, replay_ring(replay, 0, false), &item, wanted);
}

static void side(struct perf_item *item)
{
	item->event = UINT16_MAX;
	if (!item->tid)
		item->tid = item->pid;
	replay_item(replay, replay_ring(replay, 0, true), item, NULL);
}

static void side_exec(uint64_t time_ns, int pid)
{
	struct perf_item item = {.time_ns = time_ns,
				 .type = PERF_RECORD_COMM,
				 .misc = PERF_RECORD_MISC_COMM_EXEC,
				 .pid = pid,
				 .u.comm = {"x", true}};

	side(&item);
}

static void side_map(uint64_t time_ns, int pid, uint64_t start, const char *path)
{
	struct perf_item item = {.time_ns = time_ns,
				 .type = PERF_RECORD_MMAP2,
				 .misc = PERF_RECORD_MISC_USER,
				 .pid = pid,
				 .u.mmap = {.start = start,
					    .nr_bytes = 0x2000,
					    .identity = {.dev = 1, .inode = 99},
					    .prot = 5,
					    .path = path}};

	side(&item);
}

static void side_task(uint64_t time_ns, uint32_t type, int pid, int tid, int ppid)
{
	struct perf_item item = {
		.time_ns = time_ns, .type = type, .pid = pid, .tid = tid, .u.task = {ppid, ppid}};

	side(&item);
}

static void end(void)
{
	if (replay_end(replay))
		ck_abort_msg("%.2000s", replay->report);
}

START_TEST(what_runs_already_is_found)
{
	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	scan();
	uint64_t t = now();

	sample(t, 10, 0x400010, "app=/bin/a image=/bin/a+0x1010 tgid=10");
	sample(t + 1, 10, 0x700010, "app=/bin/a image=/lib/c+0x10");
	sample(t + 2, 10, 0x800010, "app=/bin/a image=anon+0x10");
	sample(t + 3, 10, 0x402010, "lost=no_mapping");
	sample(t + 4, 11, 0x400010, "lost=no_task");
	end();
	ck_assert_uint_eq(replay_counter(replay, "scanned_processes"), 1);
}
END_TEST

START_TEST(older_records_are_in_the_scan_and_newer_ones_go_on_top)
{
	uint64_t before = now();

	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	scan();
	uint64_t t = now();

	/* The rings hold events from before the scan: other programs, other mappings. */
	side_exec(before - 5, 10);
	side_map(before - 4, 10, 0x400000, "/bin/old");
	side_map(t, 10, 0x700000, "/lib/new");
	sample(t + 1, 10, 0x400010, "app=/bin/a image=/bin/a+0x1010");
	sample(t + 2, 10, 0x700010, "app=/bin/a image=/lib/new+0x10");
	side_exec(t + 3, 10);
	side_map(t + 4, 10, 0x400000, "/bin/next");
	sample(t + 5, 10, 0x400010, "app=/bin/next image=/bin/next+0x10");
	sample(t + 6, 10, 0x700010, "lost=no_mapping");
	end();
}
END_TEST

START_TEST(a_child_forked_before_its_parents_scan_is_unknown_until_it_execs)
{
	uint64_t before = now();

	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	scan();
	uint64_t t = now();

	/* Before the scan, the parent may have run another program when it forked. */
	side_task(before - 5, PERF_RECORD_FORK, 20, 20, 10);
	side_task(t, PERF_RECORD_FORK, 21, 21, 10);
	sample(t + 1, 20, 0x400010, "lost=no_mapping");
	sample(t + 2, 21, 0x400010, "app=/bin/a image=/bin/a+0x1010");
	side_exec(t + 3, 20);
	side_map(t + 4, 20, 0x400000, "/bin/b");
	sample(t + 5, 20, 0x400010, "app=/bin/b image=/bin/b+0x10");
	end();
}
END_TEST

START_TEST(threads_and_the_dead_are_told_apart)
{
	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	fake_proc_thread(&proc, 10, 10, 'Z', NULL, "");
	fake_proc_thread(&proc, 10, 12, 'R', "/bin/a", MAPS_OF("/bin/a"));
	fake_proc_process(&proc, 20, 0, "/bin/z", MAPS_OF("/bin/z"));
	fake_proc_thread(&proc, 20, 20, 'Z', "/bin/z", "");
	fake_proc_process(&proc, 2, 0x200000, NULL, "");
	scan();
	uint64_t t = now();

	sample(t, 10, 0x400010, "app=/bin/a image=/bin/a+0x1010");
	sample(t + 1, 20, 0x400010, "lost=no_task");
	sample(t + 2, 2, 0x400010, "lost=no_mapping");
	side_task(t + 3, PERF_RECORD_EXIT, 10, 12, 1);
	/* The only living thread has ended; long after, so has the process. */
	side_task(t + 3000000000u, PERF_RECORD_FORK, 30, 30, 2);
	sample(t + 3000000001u, 10, 0x400010, "lost=no_task");
	end();
	ck_assert_uint_eq(replay_counter(replay, "scanned_processes"), 2);
}
END_TEST

START_TEST(a_scan_while_running_mends_what_was_lost)
{
	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	fake_proc_process(&proc, 11, 0, "/bin/b", MAPS_OF("/bin/b"));
	scan();
	uint64_t t = now();

	sample(t, 10, 0x400010, "app=/bin/a image=/bin/a+0x1010 gen=ten");
	sample(t, 11, 0x400010, "app=/bin/b image=/bin/b+0x1010 gen=eleven");
	replay_flush(replay, t);
	/* Records are lost: 10 now runs another program, 11 has ended, 12 is new. */
	fake_proc_process(&proc, 10, 0, "/bin/x", MAPS_OF("/bin/x"));
	fake_proc_remove(&proc, 11);
	fake_proc_process(&proc, 12, 0, "/bin/y", MAPS_OF("/bin/y"));
	/* Samples from before the scan that are not yet applied. */
	sample(t + 1, 10, 0x400010, "app=/bin/a image=/bin/a+0x1010 gen=ten");
	sample(t + 2, 12, 0x400010, "lost=no_task");
	scan();
	t = now();
	sample(t, 10, 0x400010, "app=/bin/x image=/bin/x+0x1010 gen=ten");
	sample(t + 1, 12, 0x400010, "app=/bin/y image=/bin/y+0x1010 gen=twelve");
	side_task(t + 3000000000u, PERF_RECORD_FORK, 30, 30, 10);
	sample(t + 3000000001u, 11, 0x400010, "lost=no_task");
	end();
}
END_TEST

START_TEST(samples_after_lost_side_band_are_good_again_after_a_scan)
{
	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	scan();
	uint64_t t = now();

	perf_state_doubt(replay->state, t, now());
	t = now();
	sample(t, 10, 0x400010, "lost=side_band");
	replay_flush(replay, t);
	scan();
	t = now();
	sample(t, 10, 0x400010, "app=/bin/a image=/bin/a+0x1010");
	end();
}
END_TEST

START_TEST(children_of_given_processes_are_good_again_after_a_scan)
{
	pid_t pid = 10;

	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	ck_assert_int_eq(perf_state_scan(replay->state, &pid, 1), 0);
	uint64_t t = now();

	side_task(t, PERF_RECORD_FORK, 11, 11, 10);
	fake_proc_process(&proc, 11, 0, "/bin/a", MAPS_OF("/bin/a"));
	fake_proc_process(&proc, 12, 0, "/bin/b", MAPS_OF("/bin/b"));
	sample(t + 1, 11, 0x400010, "app=/bin/a image=/bin/a+0x1010");
	replay_flush(replay, t + 1);
	perf_state_doubt(replay->state, t + 2, now());
	t = now();
	sample(t, 11, 0x400010, "lost=side_band");
	replay_flush(replay, t);
	ck_assert_int_eq(perf_state_scan(replay->state, &pid, 1), 0);
	t = now();
	sample(t, 11, 0x400010, "app=/bin/a image=/bin/a+0x1010");
	sample(t + 1, 12, 0x400010, "lost=no_task");
	end();
}
END_TEST

START_TEST(a_map_of_before_the_exec_that_comes_late_changes_nothing)
{
	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	scan();
	uint64_t t = now();

	side_exec(t + 100, 10);
	side_map(t + 110, 10, 0x400000, "/bin/next");
	replay_flush(replay, t + 200);
	side_map(t + 50, 10, 0x400000, "/bin/late");
	sample(t + 210, 10, 0x400010, "app=/bin/next image=/bin/next+0x10");
	end();
	ck_assert_uint_eq(replay_counter(replay, "old_records"), 1);
}
END_TEST

/* Far more mappings than a process may have at a time: most are already gone. */
#define NR_MAPPED 100000

static void map_at_new_places(uint64_t from_ns)
{
	for (uint64_t i = 0; i < NR_MAPPED; i++)
		side_map(from_ns + i, 10, 0x10000000 + i * 0x10000, "/lib/gone");
	replay_flush(replay, from_ns + NR_MAPPED);
}

START_TEST(code_mapped_at_ever_new_places_does_not_fill_memory)
{
	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	scan();
	uint64_t t = now();

	map_at_new_places(t);
	t = now();
	sample(t, 10, 0x400010, "app=/bin/a image=/bin/a+0x1010 gen=ten");
	sample(t + 1, 10, 0x10000010, "lost=no_mapping");
	end();
	ck_assert_uint_ge(replay_counter(replay, "renewed_spaces"), 1);
	ck_assert_uint_le(replay_counter(replay, "renewed_spaces"), NR_MAPPED / 4096);
}
END_TEST

START_TEST(where_proc_says_nothing_an_overgrown_space_begins_anew)
{
	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	scan();
	uint64_t t = now();

	fake_proc_remove(&proc, 10);
	map_at_new_places(t);
	sample(t + NR_MAPPED, 10, 0x10000010, "lost=no_mapping");
	sample(t + NR_MAPPED, 10, 0x10000010 + (NR_MAPPED - 1) * UINT64_C(0x10000),
	       "app=/bin/a image=/lib/gone+0x10");
	end();
}
END_TEST

START_TEST(only_the_given_processes_are_scanned)
{
	pid_t pids[] = {10, 99};

	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	fake_proc_process(&proc, 11, 0, "/bin/b", MAPS_OF("/bin/b"));
	ck_assert_int_eq(perf_state_scan(replay->state, pids, 2), 0);
	uint64_t t = now();

	sample(t, 10, 0x400010, "app=/bin/a");
	sample(t, 11, 0x400010, "lost=no_task");
	end();
}
END_TEST

START_TEST(nonsense_in_proc_is_left_out)
{
	fake_proc_process(&proc, 10, 0, "/bin/a",
			  "\n-\n00400000\n00400000-00300000 r-xp 0 0:0 1 /bin/turned\n"
			  "00400000-00402000 r-xp zz 0:0 1 /bin/bad\n"
			  "00400000-00402000 r-xp 00000000 fe:00 11\n"
			  "00500000-00502000 r-xp 00000000 fe:00 11 /bin/a\\012b\n"
			  "99999999999999999999-0 r-xp 00000000 fe:00 11 /bin/a");
	fake_proc_print(&proc, "11/stat", "11 (no end");
	fake_proc_print(&proc, "12/stat", "12 (short) R 1\n");
	fake_proc_print(&proc, "13/task", "not a folder");
	scan();
	uint64_t t = now();

	sample(t, 10, 0x400010, "lost=no_mapping");
	sample(t + 1, 10, 0x500010, "image=/bin/a\nb+0x10");
	end();
}
END_TEST

/* A path of the kernel's maximum length: the link's name is cut. */
START_TEST(a_program_of_the_longest_path_is_known_by_its_mapping)
{
	static char maps[2 * PATH_MAX];
	struct image_table images;
	struct image_alias_table aliases;
	struct vdso vdso;
	const struct region_maker regions = {&images, &aliases, &vdso};
	size_t nr_spaces = 0;
	const struct proc_scan config = {proc.path, &regions, &nr_spaces};
	struct process_scan *found;
	char path[PATH_MAX];

	for (size_t i = 0; i < PATH_MAX - 1; i++)
		path[i] = i % 100 ? 'a' : '/';
	path[PATH_MAX - 1 - _i] = '\0';
	(void)snprintf(maps, sizeof(maps), "00400000-00402000 r-xp 00000000 fe:00 11 %s\n", path);
	fake_proc_process(&proc, 10, 0, path, maps);
	ck_assert_int_eq(image_table_init(&images), 0);
	ck_assert_int_eq(image_alias_init(&aliases, proc.path), 0);
	ck_assert_int_eq(vdso_init(&vdso), 0);
	ck_assert_int_eq(proc_scan_process(&config, 10, &found), 0);
	ck_assert_ptr_nonnull(found->app); /* no file of that name exists */
	ck_assert_str_eq(found->app->image.path, path);
	process_scan_destroy(found);
	vdso_deinit(&vdso);
	image_alias_deinit(&aliases);
	image_table_deinit(&images);
}
END_TEST

/* ---- processes that cannot be read ---- */

/* Makes the mappings of the process a file whose open() never returns. */
static void block_maps(int pid)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%d/task/%d/maps", proc.path, pid, pid);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
}

static void setup_apart(void)
{
	struct replay_config config = {.proc_path = proc.path, .read_apart = true};

	fake_proc_init(&proc);
	ck_assert_int_eq(replay_create(&replay, &config), 0);
}

START_TEST(a_process_whose_maps_block_loses_only_its_own_samples)
{
	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	fake_proc_process(&proc, 11, 0, "/bin/b", MAPS_OF("/bin/b"));
	block_maps(10);
	scan();
	uint64_t t = now();

	sample(t, 10, 0x400010, "lost=unread");
	sample(t + 1, 11, 0x400010, "app=/bin/b image=/bin/b+0x1010 tgid=11");
	sample(t + 2, 11, 0x402010, "lost=no_mapping");
	side_task(t + 3, PERF_RECORD_FORK, 12, 12, 10);
	sample(t + 4, 12, 0x400010, "lost=unread");
	side_exec(t + 5, 12);
	sample(t + 6, 12, 0x400010, "lost=no_mapping");
	side_map(t + 7, 12, 0x400000, "/bin/c");
	sample(t + 8, 12, 0x400010, "app=/bin/c image=/bin/c+0x10");
	end();
	ck_assert_uint_eq(replay_counter(replay, "late_reads"), 1);
	scan();
	ck_assert_uint_eq(replay_counter(replay, "late_reads"), 1);
	ck_assert_uint_eq(replay_counter(replay, "refused_reads"), 1);
}
END_TEST

START_TEST(a_process_that_cannot_be_read_any_more_keeps_what_is_known)
{
	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	fake_proc_process(&proc, 11, 0, "/bin/b", MAPS_OF("/bin/b"));
	block_maps(11);
	scan();
	uint64_t t = now();

	sample(t, 10, 0x400010, "app=/bin/a image=/bin/a+0x1010");
	side_map(t + 1, 11, 0x500000, "/lib/l");
	sample(t + 2, 11, 0x500010, "image=/lib/l+0x10");
	sample(t + 3, 11, 0x400010, "lost=unread");
	replay_flush(replay, t + 3);
	block_maps(10);
	scan();
	t = now();
	side_map(t, 10, 0x500000, "/lib/l");
	sample(t + 1, 10, 0x400010, "app=/bin/a image=/bin/a+0x1010");
	sample(t + 2, 10, 0x500010, "app=/bin/a image=/lib/l+0x10");
	sample(t + 3, 10, 0x600010, "lost=unread");
	sample(t + 4, 11, 0x500010, "image=/lib/l+0x10");
	end();
	ck_assert_uint_eq(replay_counter(replay, "late_reads"), 2);
}
END_TEST

START_TEST(a_process_that_could_not_be_read_is_read_again_after_a_minute)
{
	char path[128];

	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	block_maps(10);
	scan();
	uint64_t t = now();

	sample(t, 10, 0x400010, "lost=unread");
	replay_flush(replay, t);
	(void)snprintf(path, sizeof(path), "%s/10/task/10/maps", proc.path);
	ck_assert_int_eq(unlink(path), 0);
	fake_proc_print(&proc, "10/task/10/maps", "%s", MAPS_OF("/bin/a"));
	perf_state_tend(replay->state);
	t = now();
	sample(t, 10, 0x400010, "lost=unread");
	replay_flush(replay, t);
	shift_s = UNREAD_TURN_NS / 1000000000 + 1;
	perf_state_tend(replay->state);
	sample(now(), 10, 0x400010, "app=/bin/a image=/bin/a+0x1010");
	end();
	ck_assert_uint_eq(replay_counter(replay, "late_reads"), 1);
	ck_assert_uint_eq(replay_counter(replay, "refused_reads"), 0);
}
END_TEST

START_TEST(users_whose_processes_are_not_read_are_listed_with_the_processes)
{
	struct unread *unread = &replay->state->places.reader.unread;
	struct source_unread list[3];
	uint64_t nr_late;

	fake_proc_process(&proc, 10, 0, "/bin/a", MAPS_OF("/bin/a"));
	block_maps(10);
	scan();
	unread_wait(unread, 1000, UNREAD_USER_NS, clock_monotonic_ns());
	ck_assert_uint_eq(perf_state_unread(replay->state, list, 3, &nr_late), 2);
	ck_assert_int_eq(list[0].pid, 0);
	ck_assert_uint_eq(list[0].uid, 1000);
	ck_assert_int_eq(list[1].pid, 10);
	ck_assert_uint_eq(nr_late, 1);
	ck_assert_uint_eq(perf_state_unread(replay->state, list, 1, &nr_late), 1);
	end();
}
END_TEST

/* ---- a real process ---- */

static void spin(void)
{
	for (;;)
		(void)getpid();
}

/* The program's own path and the file offset of address, from /proc/self/maps. */
static void find_own(uint64_t address, char *path, uint64_t *offset)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[8192];

	ck_assert_ptr_nonnull(maps);
	*path = '\0';
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, finish, at;

		ck_assert_int_eq(sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095[^\n]", &start, &finish,
					&at, path) >= 3,
				 1);
		if (address >= start && address < finish) {
			*offset = address - start + at;
			fclose(maps);
			return;
		}
	}
	ck_abort_msg("not mapped");
}

START_TEST(a_real_process_is_read_and_its_file_is_one_image_by_any_name)
{
	uint64_t address = (uint64_t)(uintptr_t)spin;
	struct replay *real;
	char path[4096], wanted[8300];
	uint64_t offset;
	pid_t child = fork();

	if (!child) {
		spin();
		_exit(0);
	}
	find_own(address, path, &offset);
	ck_assert_int_eq(replay_create(&real, &(struct replay_config){.proc_path = "/proc"}), 0);
	ck_assert_int_eq(perf_state_scan(real->state, &child, 1), 0);
	snprintf(wanted, sizeof(wanted), "app=%s image=%s+0x%lx", path, path,
		 (unsigned long)offset);
	struct replay *kept = replay;

	replay = real;
	sample(now(), child, address, wanted);
	if (replay_end(real))
		ck_abort_msg("%.2000s", real->report);
	replay = kept;

	/* Reported again with its build-id, the image keeps its cookie. */
	const struct image *image = perf_state_image(real->state, real->task.app_image);

	ck_assert_ptr_nonnull(image);
	ck_assert_uint_gt(image->identity.nr_build_id, 0);
	ck_assert_uint_eq(image->identity.inode, 0);
	uint64_t t = now();
	struct perf_item item = {.time_ns = t,
				 .type = PERF_RECORD_COMM,
				 .misc = PERF_RECORD_MISC_COMM_EXEC,
				 .pid = 1 << 29,
				 .u.comm = {"x", true}};

	perf_state_apply(real->state, &item);
	item = (struct perf_item){.time_ns = t + 1,
				  .type = PERF_RECORD_MMAP2,
				  .misc = PERF_RECORD_MISC_USER,
				  .pid = 1 << 29,
				  .u.mmap = {.start = 0x400000,
					     .nr_bytes = 0x1000,
					     .prot = 5,
					     .identity = image->identity,
					     .path = path}};
	perf_state_apply(real->state, &item);
	uint32_t cookie = real->task.app_image;

	item = (struct perf_item){.time_ns = t + 2,
				  .type = PERF_RECORD_SAMPLE,
				  .misc = PERF_RECORD_MISC_USER,
				  .pid = 1 << 29,
				  .tid = 1 << 29,
				  .u.sample = {.ip = 0x400001, .period = 1}};
	perf_state_apply(real->state, &item);
	ck_assert_int_eq(real->task.tgid, 1 << 29);
	ck_assert_uint_eq(real->task.app_image, cookie);
	replay_destroy(real);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}
END_TEST

START_TEST(every_process_of_this_machine_can_be_scanned)
{
	struct replay *real;

	struct replay_config config = {.proc_path = "/proc", .read_apart = true};

	ck_assert_int_eq(replay_create(&real, &config), 0);
	ck_assert_int_eq(perf_state_scan(real->state, NULL, 0), 0);
	ck_assert_uint_ge(replay_counter(real, "scanned_processes"), 1);
	replay_destroy(real);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_scan");
	TCase *apart = tcase_create("perf_scan_apart");
	TCase *tests = tcase_create("perf_scan");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, what_runs_already_is_found);
	tcase_add_test(tests, older_records_are_in_the_scan_and_newer_ones_go_on_top);
	tcase_add_test(tests, a_child_forked_before_its_parents_scan_is_unknown_until_it_execs);
	tcase_add_test(tests, threads_and_the_dead_are_told_apart);
	tcase_add_test(tests, a_scan_while_running_mends_what_was_lost);
	tcase_add_test(tests, samples_after_lost_side_band_are_good_again_after_a_scan);
	tcase_add_test(tests, a_map_of_before_the_exec_that_comes_late_changes_nothing);
	tcase_add_test(tests, children_of_given_processes_are_good_again_after_a_scan);
	tcase_add_test(tests, code_mapped_at_ever_new_places_does_not_fill_memory);
	tcase_add_test(tests, where_proc_says_nothing_an_overgrown_space_begins_anew);
	tcase_add_test(tests, only_the_given_processes_are_scanned);
	tcase_add_test(tests, nonsense_in_proc_is_left_out);
	tcase_add_loop_test(tests, a_program_of_the_longest_path_is_known_by_its_mapping, 0, 2);
	tcase_add_test(tests, a_real_process_is_read_and_its_file_is_one_image_by_any_name);
	tcase_add_test(tests, every_process_of_this_machine_can_be_scanned);
	suite_add_tcase(suite, tests);
	tcase_set_timeout(apart, 60);
	tcase_add_checked_fixture(apart, setup_apart, teardown);
	tcase_add_test(apart, a_process_whose_maps_block_loses_only_its_own_samples);
	tcase_add_test(apart, a_process_that_cannot_be_read_any_more_keeps_what_is_known);
	tcase_add_test(apart, a_process_that_could_not_be_read_is_read_again_after_a_minute);
	tcase_add_test(apart, users_whose_processes_are_not_read_are_listed_with_the_processes);
	suite_add_tcase(suite, apart);
	return run_suite(suite);
}
