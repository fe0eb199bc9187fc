// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/stacks/stack_file.h"

#include "lib/file.h"
#include "libdb/sdb.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES_MAX (64u << 20)

static char folder[256], path[300];
static struct stack_tree wanted;
static uint64_t lot;

static void setup(void)
{
	const char *where = getenv("TMPDIR");

	lot = 1;
	(void)snprintf(folder, sizeof(folder), "%s/test_stack.XXXXXX", where ? where : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/stacks", folder);
	ck_assert_int_eq(stack_tree_init(&wanted), 0);
	ck_assert_int_eq(sdb_catch_sigbus(), 0);
}

static void teardown(void)
{
	stack_tree_deinit(&wanted);
	(void)file_remove_tree(folder);
}

static struct stack_file *open_file(uint64_t epoch, uint64_t nr_bytes_max)
{
	struct stack_file *file;
	struct diag diag;

	ck_assert_msg(!stack_file_open(&file, path, epoch, nr_bytes_max, &diag), "%s",
		      diag_show(&diag));
	return file;
}

/* Returns the node of a sample, or of the last frame for which there is room; or -errno. */
static int64_t node_of(struct stack_file *file, const struct make_stacks_sample *sample,
		       bool *folded)
{
	const struct slice_section section = make_stacks_root(sample->root);
	int64_t node = stack_file_root(file, &section);

	for (unsigned int i = 0; i < sample->nr_frames && node > 0; i++) {
		const struct make_stacks_frame *frame = &sample->frames[i];
		int64_t image = UINT32_MAX - frame->image; /* a mark */

		if (frame->image < MAKE_STACKS_NR_IMAGES) {
			const struct stack_image what = make_stacks_image(frame->image);

			image = stack_file_image(file, &what);
			if (image < 0)
				return image;
		}
		node = stack_file_child(file, (uint32_t)node, (uint32_t)image, frame->offset,
					folded);
	}
	return node;
}

static void add(struct stack_file *file, const struct make_stacks_sample *sample)
{
	bool folded = false;
	const int64_t node = node_of(file, sample, &folded);

	if (node <= 0 || stack_file_add(file, (uint32_t)node, sample->nr_samples, sample->weight))
		ck_abort_msg("%s", strerror((int)-node));
}

static void add_both(struct stack_file *file, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct make_stacks_sample sample = make_stacks_next(&lot);

		add(file, &sample);
		(void)make_stacks_add(&wanted, &sample);
	}
}

static struct stack_tree load(uint64_t *epoch)
{
	struct stack_tree tree;
	struct diag diag;

	ck_assert_msg(!stack_file_check(path, &diag), "%s", diag_show(&diag));
	ck_assert_msg(!stack_file_load(path, &tree, epoch, &diag), "%s", diag_show(&diag));
	return tree;
}

static void verify(uint64_t epoch)
{
	uint64_t found;
	struct stack_tree tree = load(&found);

	ck_assert_uint_eq(found, epoch);
	make_stacks_same(&tree, &wanted);
	ck_assert_uint_eq(tree.nr_nodes, wanted.nr_nodes);
	stack_tree_deinit(&tree);
}

START_TEST(what_was_added_is_read)
{
	static const size_t numbers[] = {0, 1, 30, 20000};
	struct stack_file *file = open_file(3, BYTES_MAX);

	add_both(file, numbers[_i]);
	verify(3);
	add_both(file, numbers[_i]);
	verify(3);
	stack_file_close(file);
	verify(3);
}
END_TEST

START_TEST(a_file_without_epochs_is_as_good)
{
	struct stack_file *file = open_file(0, BYTES_MAX);

	add_both(file, 10);
	stack_file_close(file);
	file = open_file(0, BYTES_MAX);
	add_both(file, 10);
	verify(0);
	ck_assert_int_eq(stack_file_restart(file, 1), -EIO);
	stack_file_close(file);
}
END_TEST

START_TEST(opened_again_it_goes_on)
{
	struct stack_file *file;
	uint64_t nr_bytes;

	for (int i = 0; i < 5; i++) {
		file = open_file(8, BYTES_MAX);
		ck_assert_uint_eq(stack_file_epoch(file), 8);
		add_both(file, 2000);
		nr_bytes = stack_file_nr_bytes(file);
		stack_file_close(file);
		verify(8);
	}
	lot = 1;
	file = open_file(8, BYTES_MAX);
	add_both(file, 2000); /* all nodes exist already */
	ck_assert_uint_eq(stack_file_nr_bytes(file), nr_bytes);
	stack_file_close(file);
	verify(8);
}
END_TEST

START_TEST(what_is_the_same_is_one_record)
{
	const struct slice_section section = make_stacks_root(0);
	struct slice_section weighted = section;
	struct stack_image image = make_stacks_image(0);
	struct stack_file *file = open_file(1, BYTES_MAX);
	bool folded = false;
	int64_t root, position, child;

	for (int i = 0; i < 2; i++) {
		root = stack_file_root(file, &section);
		weighted.flags |= OPROF_SDB_WEIGHTED;
		ck_assert_int_eq(stack_file_root(file, &weighted), root);
		position = stack_file_image(file, &image);
		image.identity.inode = 77; /* the build-id decides, not the inode */
		ck_assert_int_eq(stack_file_image(file, &image), position);
		child = stack_file_child(file, (uint32_t)root, (uint32_t)position, 5, &folded);
		ck_assert_int_eq(
			stack_file_child(file, (uint32_t)root, (uint32_t)position, 5, &folded),
			child);
		ck_assert_int_ne(
			stack_file_child(file, (uint32_t)child, (uint32_t)position, 5, &folded),
			child);
		stack_file_close(file);
		file = open_file(1, BYTES_MAX);
	}
	stack_file_close(file);
	ck_assert(!folded);
	ck_assert_int_eq(stack_file_check(path, NULL), 0);
}
END_TEST

START_TEST(two_writers_exclude_each_other)
{
	struct stack_file *file = open_file(1, BYTES_MAX), *second;
	struct diag diag;

	ck_assert_int_eq(stack_file_open(&second, path, 1, BYTES_MAX, &diag), -EBUSY);
	ck_assert_str_eq(diag.file, path);
	stack_file_close(file);
}
END_TEST

START_TEST(nothing_can_be_added_to_a_root)
{
	const struct slice_section section = make_stacks_root(0);
	struct stack_file *file = open_file(1, BYTES_MAX);
	const int64_t root = stack_file_root(file, &section);

	ck_assert_int_gt(root, 0);
	ck_assert_int_eq(stack_file_add(file, (uint32_t)root, 1, 1), -EINVAL);
	stack_file_close(file);
}
END_TEST

START_TEST(a_name_longer_than_any_is_refused)
{
	static char name[40000];
	struct slice_section section = make_stacks_root(0);
	struct stack_image image = make_stacks_image(0);
	struct stack_file *file = open_file(1, BYTES_MAX);

	memset(name, 'a', sizeof(name) - 1);
	section.app.path = name;
	image.path.path = name;
	ck_assert_int_eq(stack_file_root(file, &section), -ENAMETOOLONG);
	ck_assert_int_eq(stack_file_image(file, &image), -ENAMETOOLONG);
	section.app.path = name + sizeof(name) - 4097; /* PATH_MAX bytes */
	image.path.path = section.app.path;
	ck_assert_int_gt(stack_file_root(file, &section), 0);
	ck_assert_int_gt(stack_file_image(file, &image), 0);
	stack_file_close(file);
	ck_assert_int_eq(stack_file_check(path, NULL), 0);
}
END_TEST

START_TEST(is_at_tells_a_file_that_was_replaced)
{
	struct stack_file *file = open_file(1, BYTES_MAX);

	ck_assert(stack_file_is_at(file, path));
	ck_assert_int_eq(stack_file_sync(file), 0);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert(!stack_file_is_at(file, path));
	stack_file_close(file);
}
END_TEST

/* ---- epochs ---- */

START_TEST(emptied_it_takes_the_next_epoch)
{
	struct stack_file *file = open_file(1, BYTES_MAX);

	for (uint64_t epoch = 2; epoch < 6; epoch++) {
		add_both(file, epoch * 1000);
		ck_assert_uint_gt(stack_file_nr_bytes(file), 65536);
		ck_assert_int_eq(stack_file_restart(file, epoch), 0);
		ck_assert_uint_eq(stack_file_epoch(file), epoch);
		ck_assert_uint_eq(stack_file_nr_bytes(file), 65536);
		stack_tree_deinit(&wanted);
		ck_assert_int_eq(stack_tree_init(&wanted), 0);
		verify(epoch);
	}
	add_both(file, 1000);
	verify(5);
	ck_assert_int_eq(stack_file_restart(file, 5), -EIO);
	stack_file_close(file);
}
END_TEST

START_TEST(opening_for_a_later_epoch_empties_and_for_an_earlier_is_refused)
{
	struct stack_file *file = open_file(4, BYTES_MAX);
	struct diag diag;

	add_both(file, 100);
	stack_file_close(file);
	ck_assert_int_eq(stack_file_open(&file, path, 3, BYTES_MAX, &diag), -EINVAL);
	ck_assert_int_eq(stack_file_open(&file, path, 0, BYTES_MAX, &diag), -EINVAL);
	verify(4);
	file = open_file(9, BYTES_MAX);
	stack_file_close(file);
	stack_tree_deinit(&wanted);
	ck_assert_int_eq(stack_tree_init(&wanted), 0);
	verify(9);
}
END_TEST

/* ---- readers ---- */

/* Samples of the current epoch, counted before and after each is added. */
static struct shared {
	uint64_t epoch, nr_begun, nr_done;
} * shared;

#define EPOCH_SAMPLES 1500

static _Noreturn void write_for_ever(void)
{
	struct stack_file *file = open_file(1, BYTES_MAX);

	for (uint64_t i = 1;; i++) {
		struct make_stacks_sample sample = make_stacks_next(&lot);

		if (i % EPOCH_SAMPLES == 0) {
			if (stack_file_restart(file, shared->epoch + 1))
				_exit(1);
			__atomic_store_n(&shared->nr_done, 0, __ATOMIC_RELEASE);
			__atomic_store_n(&shared->nr_begun, 0, __ATOMIC_RELEASE);
			__atomic_fetch_add(&shared->epoch, 1, __ATOMIC_RELEASE);
		}
		sample.nr_samples = 1;
		__atomic_fetch_add(&shared->nr_begun, 1, __ATOMIC_RELEASE);
		add(file, &sample);
		__atomic_fetch_add(&shared->nr_done, 1, __ATOMIC_RELEASE);
	}
}

static uint64_t read_shared(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

START_TEST(readers_find_what_was_added_while_it_is_written_and_emptied)
{
	unsigned int nr_compared = 0;
	uint64_t last_epoch = 0;
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	shared->epoch = 1;
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		write_for_ever();
	while (nr_compared < 200 || last_epoch < 4) {
		const uint64_t before = read_shared(&shared->epoch);
		const uint64_t nr_done = read_shared(&shared->nr_done);
		struct stack_tree tree;
		struct diag diag;
		uint64_t epoch, nr_begun, nr_done_now, nr = 0;
		int error = stack_file_load(path, &tree, &epoch, &diag);

		nr_begun = read_shared(&shared->nr_begun);
		nr_done_now = read_shared(&shared->nr_done);

		if (error == -ENOENT || error == -ENODATA)
			continue; /* not begun yet */
		if (error == -EAGAIN)
			continue; /* emptied during each attempt: no daemon does that so often */
		if (error)
			ck_abort_msg("%s", diag_show(&diag));
		for (uint32_t i = 0; i < tree.nr_roots; i++)
			nr += tree.roots[i].nr_samples;
		make_stacks_verify(&tree);
		stack_tree_deinit(&tree);
		if (epoch < last_epoch)
			ck_abort_msg("an earlier epoch");
		last_epoch = epoch;
		/* Skip the comparison if the file was emptied during the load, or may have been. */
		if (!nr_done || nr_done_now < nr_done || nr_done_now >= EPOCH_SAMPLES - 1 ||
		    read_shared(&shared->epoch) != before || epoch != before)
			continue;
		if (nr < nr_done || nr > nr_begun)
			ck_abort_msg("%lu samples, not %lu or more", (unsigned long)nr,
				     (unsigned long)nr_done);
		nr_compared++;
	}
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

/* ---- a full file ---- */

static uint64_t nr_samples_of(const struct stack_tree *tree)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < tree->nr_roots; i++)
		nr += tree->roots[i].nr_samples;
	return nr;
}

/* Number of samples in OPROF_STACK_OTHER nodes. */
static uint64_t nr_other(const struct stack_tree *tree)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		if (tree->nodes[i].parent != STACK_NODE_ROOT &&
		    tree->nodes[i].image == STACK_MARK(OPROF_STACK_OTHER))
			nr += tree->nodes[i].nr_samples;
	}
	return nr;
}

/* Adds nr samples and returns how many of them were folded. All roots and images exist already. */
static unsigned int add_until_full(struct stack_file *file, size_t nr, uint64_t *nr_samples)
{
	unsigned int nr_folded = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct make_stacks_sample sample = make_stacks_next(&lot);
		bool folded = false;
		int64_t node = node_of(file, &sample, &folded);

		if (node <= 0 ||
		    stack_file_add(file, (uint32_t)node, sample.nr_samples, sample.weight))
			ck_abort_msg("sample %zu: %s", i, strerror((int)-node));
		nr_folded += folded;
		*nr_samples += sample.nr_samples;
	}
	return nr_folded;
}

static void verify_full(uint64_t nr_samples, bool any_other)
{
	uint64_t epoch;
	struct stack_tree tree = load(&epoch);

	make_stacks_verify(&tree);
	ck_assert_uint_eq(nr_samples_of(&tree), nr_samples);
	ck_assert(!nr_other(&tree) == !any_other);
	stack_tree_deinit(&tree);
}

START_TEST(beyond_its_bound_it_folds_and_loses_nothing)
{
	struct stack_file *file = open_file(1, 200000);
	uint64_t nr_samples = 0, nr_bytes;

	ck_assert_uint_eq(add_until_full(file, 300, &nr_samples), 0);
	verify_full(nr_samples, false);
	ck_assert_uint_gt(add_until_full(file, 30000, &nr_samples), 1000);
	nr_bytes = stack_file_nr_bytes(file);
	ck_assert_uint_le(nr_bytes, 200000);
	verify_full(nr_samples, true);
	stack_file_close(file);
	/* The next daemon finds the same room: none. */
	file = open_file(1, 200000);
	ck_assert_uint_gt(add_until_full(file, 3000, &nr_samples), 100);
	ck_assert_uint_eq(stack_file_nr_bytes(file), nr_bytes);
	verify_full(nr_samples, true);
	/* With a higher limit the file grows again. */
	stack_file_close(file);
	file = open_file(1, BYTES_MAX);
	ck_assert_uint_lt(add_until_full(file, 3000, &nr_samples), 3000);
	ck_assert_uint_gt(stack_file_nr_bytes(file), nr_bytes);
	verify_full(nr_samples, true);
	stack_file_close(file);
}
END_TEST

START_TEST(at_the_limit_of_files_it_folds_and_goes_on_once_it_is_raised)
{
	struct stack_file *file = open_file(1, BYTES_MAX);
	struct rlimit before, limit, raised;
	uint64_t nr_samples = 0, nr_bytes;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = raised = before;
	limit.rlim_cur = 131072;
	raised.rlim_cur = 4194304;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_uint_gt(add_until_full(file, 20000, &nr_samples), 1000);
	nr_bytes = stack_file_nr_bytes(file);
	ck_assert_uint_le(nr_bytes, 131072);
	verify_full(nr_samples, true);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &raised), 0);
	(void)add_until_full(file, 20000, &nr_samples);
	ck_assert_uint_gt(stack_file_nr_bytes(file), nr_bytes);
	verify_full(nr_samples, true);
	stack_file_close(file);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
}
END_TEST

START_TEST(a_root_without_room_is_refused)
{
	struct stack_file *file = open_file(1, 65536);
	struct slice_section section = make_stacks_root(0);
	char name[32];
	int64_t root = 1, last = 0;
	bool folded = false;

	section.app.path = name;
	for (int i = 0; root > 0; i++) {
		(void)snprintf(name, sizeof(name), "/bin/%d", i);
		last = root;
		root = stack_file_root(file, &section);
	}
	ck_assert_int_eq(root, -ENOSPC);
	/* The last accepted root has its [other] node, as all roots do. */
	ck_assert_int_gt(stack_file_child(file, (uint32_t)last, OPROF_STACK_UNKNOWN, 0, &folded),
			 0);
	stack_file_close(file);
	ck_assert_int_eq(stack_file_check(path, NULL), 0);
}
END_TEST

/* Adds as many roots as fit: each must still have room for its own [other]. */
START_TEST(every_root_has_room_for_its_other_node)
{
	struct stack_file *file = open_file(1, 65536);
	struct slice_section section = make_stacks_root(0);
	int64_t roots[2000], root;
	unsigned int nr_roots = 0, nr_folded = 0;
	char name[32];

	section.app.path = name;
	for (;; nr_roots++) {
		(void)snprintf(name, sizeof(name), "/bin/%u", nr_roots);
		root = stack_file_root(file, &section);
		if (root < 0)
			break;
		roots[nr_roots] = root;
	}
	for (unsigned int i = 0; i < nr_roots; i++) {
		for (uint64_t offset = 0; offset < 20; offset++) {
			const struct stack_image image = make_stacks_image(0);
			const int64_t number = stack_file_image(file, &image);
			bool folded = false;
			int64_t node;

			node = stack_file_child(file, (uint32_t)roots[i],
						number > 0 ? (uint32_t)number : 0, offset, &folded);
			ck_assert_int_gt(node, 0);
			ck_assert_int_eq(stack_file_add(file, (uint32_t)node, 1, 1), 0);
			nr_folded += folded;
		}
	}
	ck_assert_uint_gt(nr_roots, 300);
	ck_assert_uint_gt(nr_folded, nr_roots * 10);
	stack_file_close(file);
	verify_full((uint64_t)nr_roots * 20, true);
}
END_TEST

/* ---- damage ---- */

static void damage(off_t offset, const void *what, size_t nr_bytes)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, what, nr_bytes, offset), (ssize_t)nr_bytes);
	(void)close(fd);
}

static const struct {
	off_t offset;
	uint32_t value;
	int error;
} damages[] = {
	{0, 1, -EINVAL},		     /* magic */
	{8, 2, -EPROTONOSUPPORT},	     /* version */
	{12, 0x04030201u, -EPROTONOSUPPORT}, /* byte order */
	{12, 5, -EILSEQ},		     /* the same field */
	{16, 8192, -EILSEQ},		     /* header_bytes */
	{20, 1, -EPROTONOSUPPORT},	     /* flags */
	{24, 4095, -EILSEQ},		     /* nr_bytes */
	{28, 1, -EILSEQ},		     /* the same field: beyond the end */
	{40, 2, -EILSEQ},		     /* emptied later than begun */
};

START_TEST(what_is_no_stack_file_is_told)
{
	struct stack_file *file = open_file(1, BYTES_MAX);
	struct stack_tree tree;
	struct diag diag;
	uint64_t epoch;

	add_both(file, 10);
	stack_file_close(file);
	damage(damages[_i].offset, &damages[_i].value, sizeof(damages[_i].value));
	ck_assert_int_eq(stack_file_check(path, &diag), damages[_i].error);
	ck_assert_str_eq(diag.file, path);
	ck_assert_int_eq(stack_file_load(path, &tree, &epoch, &diag), damages[_i].error);
	ck_assert_int_eq(stack_file_open(&file, path, 1, BYTES_MAX, &diag), damages[_i].error);
}
END_TEST

START_TEST(a_file_that_was_never_begun_is_begun)
{
	static const char zeros[4096];
	struct stack_tree tree;
	struct stack_file *file;
	uint64_t epoch;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_write_all(fd, zeros, _i ? 4096 : 0), 0);
	(void)close(fd);
	ck_assert_int_eq(stack_file_load(path, &tree, &epoch, NULL), -ENODATA);
	file = open_file(2, BYTES_MAX);
	add_both(file, 10);
	stack_file_close(file);
	verify(2);
}
END_TEST

/* Changes any byte of the records: the file is refused, or can be read to its end. */
START_TEST(damaged_records_are_refused_or_read)
{
	struct stack_file *file = open_file(1, BYTES_MAX);
	struct stack_tree tree;
	unsigned int nr_refused = 0, nr_read = 0;
	uint64_t epoch;
	char *bytes;
	size_t nr_bytes;

	add_both(file, 12);
	stack_file_close(file);
	ck_assert_int_eq(file_read_text(path, 1 << 20, &bytes, &nr_bytes), 0);
	for (off_t at = 4096; at < 4096 + 40 * 100 && at < (off_t)nr_bytes; at++) {
		const char changed = (char)(bytes[at] ^ 1 << at % 8);
		int error;

		damage(at, &changed, 1);
		error = stack_file_load(path, &tree, &epoch, NULL);
		if (!error) {
			make_stacks_verify(&tree);
			stack_tree_deinit(&tree);
		}
		ck_assert_int_eq(stack_file_check(path, NULL), error);
		ck_assert_int_eq(stack_file_open(&file, path, 1, BYTES_MAX, NULL), error);
		if (!error)
			stack_file_close(file);
		nr_refused += error == -EILSEQ;
		nr_read += !error;
		damage(at, &bytes[at], 1);
	}
	ck_assert_uint_gt(nr_refused, 500);
	ck_assert_uint_gt(nr_read, 500);
	free(bytes);
	verify(1);
}
END_TEST

/* Wrong references of the last node to other records. */
enum { NODE, PARENT_OF_IT, ROOT, IMAGE, NONE, NR_PLACES };
static const struct {
	size_t field;
	unsigned int place; /* record whose position is written to the field; NONE: value */
	uint32_t value;
	const char *says; /* expected message; NULL: the change is allowed */
} nodes[] = {
	{offsetof(struct oprof_stack_node, parent), ROOT, 0, NULL},
	{offsetof(struct oprof_stack_node, parent), IMAGE, 0, "a node's parent"},
	{offsetof(struct oprof_stack_node, parent), NODE, 0, "a node's parent"},
	{offsetof(struct oprof_stack_node, parent), NONE, 0, "a node's parent"},
	{offsetof(struct oprof_stack_node, parent), NONE, 1, "a node's parent"},
	{offsetof(struct oprof_stack_node, parent), NONE, UINT32_MAX, "a node's parent"},
	{offsetof(struct oprof_stack_node, image), ROOT, 0, "a node's image"},
	{offsetof(struct oprof_stack_node, image), PARENT_OF_IT, 0, "a node's image"},
	{offsetof(struct oprof_stack_node, image), NONE, 4, "a node's image"},
	{offsetof(struct oprof_stack_node, image), NONE, 3, "a mark"}, /* has an offset */
	{offsetof(struct oprof_stack_node, head.size_bytes), NONE, 48, "a record"},
	{offsetof(struct oprof_stack_node, head.size_bytes), NONE, 32, "a record"},
	{offsetof(struct oprof_stack_node, head.size_bytes), NONE, 0, "a record"},
	{offsetof(struct oprof_stack_node, head.size_bytes), NONE, 41, "a record"},
};

START_TEST(a_node_that_can_not_be_is_refused)
{
	const struct slice_section root = make_stacks_root(0);
	const struct stack_image image = make_stacks_image(0);
	struct stack_file *file = open_file(1, BYTES_MAX);
	uint32_t places[NR_PLACES] = {0}, value;
	bool folded = false;
	struct diag diag;
	int64_t node;

	node = stack_file_root(file, &root);
	places[ROOT] = (uint32_t)node;
	places[IMAGE] = (uint32_t)stack_file_image(file, &image);
	for (unsigned int i = PARENT_OF_IT + 1; i-- > NODE;) {
		node = stack_file_child(file, (uint32_t)node, places[IMAGE], 16 + i, &folded);
		ck_assert_int_gt(node, 0);
		places[i] = (uint32_t)node;
	}
	stack_file_close(file);
	ck_assert_int_eq(stack_file_check(path, &diag), 0);
	value = nodes[_i].place == NONE ? nodes[_i].value : places[nodes[_i].place];
	damage((off_t)places[NODE] * 8 + (off_t)nodes[_i].field, &value, sizeof(value));
	ck_assert_int_eq(stack_file_check(path, &diag), nodes[_i].says ? -EILSEQ : 0);
	ck_assert(!nodes[_i].says || strstr(diag_show(&diag), nodes[_i].says));
}
END_TEST

/*
 * In a full file a child is folded into an [other] node above; each parent must lie before its
 * child.
 */
START_TEST(a_parent_overwritten_while_the_file_is_full_is_refused)
{
	const struct slice_section section = make_stacks_root(0);
	const struct stack_image image = make_stacks_image(0);
	struct stack_file *file = open_file(1, 65536);
	const uint32_t root = (uint32_t)stack_file_root(file, &section);
	const uint32_t number = (uint32_t)stack_file_image(file, &image);
	uint32_t children[2000], nr = 0, other;
	bool folded = false;

	for (; !folded && nr < 2000; nr++)
		children[nr] = (uint32_t)stack_file_child(file, root, number, nr, &folded);
	ck_assert(folded);
	other = children[--nr];
	for (uint32_t i = 2; i < nr; i++) /* later ones may be folded */
		ck_assert_int_gt(stack_file_child(file, children[i], number, 1, &folded), 0);
	const struct {
		uint32_t parent;
		int64_t child;
	} cases[] = {{children[1], -EILSEQ}, {children[0], -EILSEQ},
		     {UINT32_MAX, -EILSEQ},  {OPROF_STACK_HEADER_BYTES / 8 - 1, -EILSEQ},
		     {0, -EILSEQ},	     {root, other}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		damage((off_t)children[0] * 8 + (off_t)offsetof(struct oprof_stack_node, parent),
		       &cases[i].parent, sizeof(cases[i].parent));
		ck_assert_int_eq(stack_file_child(file, children[0], number, 1, &folded),
				 cases[i].child);
	}
	stack_file_close(file);
}
END_TEST

START_TEST(a_file_cut_while_it_is_written_to_fails_alone)
{
	struct stack_file *file = open_file(1, BYTES_MAX);
	int error = 0;

	add_both(file, 3000);
	ck_assert_int_eq(truncate(path, 8192), 0);
	for (int i = 0; i < 3000 && !error; i++) {
		const struct make_stacks_sample sample = make_stacks_next(&lot);
		bool folded = false;
		const int64_t node = node_of(file, &sample, &folded);

		error = node < 0 ? (int)node : stack_file_add(file, (uint32_t)node, 1, 1);
	}
	ck_assert_int_eq(error, -EIO);
	ck_assert_int_eq(stack_file_restart(file, 2), -EIO);
	ck_assert_int_eq(stack_file_sync(file), -EIO);
	stack_file_close(file);
	ck_assert_int_eq(stack_file_check(path, NULL), -EILSEQ);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_file");
	TCase *tc = tcase_create("stack_file");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, what_was_added_is_read, 0, 4);
	tcase_add_test(tc, a_file_without_epochs_is_as_good);
	tcase_add_test(tc, opened_again_it_goes_on);
	tcase_add_test(tc, what_is_the_same_is_one_record);
	tcase_add_test(tc, two_writers_exclude_each_other);
	tcase_add_test(tc, nothing_can_be_added_to_a_root);
	tcase_add_test(tc, a_name_longer_than_any_is_refused);
	tcase_add_test(tc, is_at_tells_a_file_that_was_replaced);
	tcase_add_test(tc, emptied_it_takes_the_next_epoch);
	tcase_add_test(tc, opening_for_a_later_epoch_empties_and_for_an_earlier_is_refused);
	tcase_add_test(tc, readers_find_what_was_added_while_it_is_written_and_emptied);
	tcase_add_test(tc, beyond_its_bound_it_folds_and_loses_nothing);
	tcase_add_test(tc, at_the_limit_of_files_it_folds_and_goes_on_once_it_is_raised);
	tcase_add_test(tc, a_root_without_room_is_refused);
	tcase_add_test(tc, every_root_has_room_for_its_other_node);
	tcase_add_loop_test(tc, what_is_no_stack_file_is_told, 0,
			    sizeof(damages) / sizeof(damages[0]));
	tcase_add_loop_test(tc, a_file_that_was_never_begun_is_begun, 0, 2);
	tcase_add_test(tc, damaged_records_are_refused_or_read);
	tcase_add_loop_test(tc, a_node_that_can_not_be_is_refused, 0,
			    sizeof(nodes) / sizeof(nodes[0]));
	tcase_add_test(tc, a_parent_overwritten_while_the_file_is_full_is_refused);
	tcase_add_test(tc, a_file_cut_while_it_is_written_to_fails_alone);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
