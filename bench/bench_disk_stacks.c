// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Disk used by a session's history with call stacks, compared with the files of
 * perf record -g. A minute of a real session is recorded (real_session.h) and
 * written to a slice, with samples and call trees. An hour that is kept in
 * slices of a minute has 60 times this size. The size of a merged hour is
 * simulated: a stack either repeats a previous one or is a new path that
 * branches off a previous one. In the recording, the number of paths grows as a
 * power of the number of samples; the probability of a new path follows this
 * law.
 */
#include "bench/bench.h"
#include "bench/real_session.h"
#include "tests/fixture/stack_sum.h"

#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_SECONDS 60
#define PERF_SECONDS   20
#define RECORD_HZ      997
#define ENDS_MAX       (1u << 20)
#define NR_MINUTES     60u

/*
 * The simulation. The tree `ways` contains all paths so far; each minute's tree has some of them.
 */
struct model {
	struct stack_tree ways;
	uint32_t *ends; /* nodes of `ways` where a uniform random selection of samples ends */
	uint32_t nr_ends;
	double nr_samples, nr_nodes, nr_recorded, exponent;
	uint64_t random, nr_new;
};

static char folder[PATH_MAX / 2];

static double file_mib(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		bench_fail(path, errno);
	return (double)st.st_blocks * 512 / (1 << 20);
}

/* Writes a slice with the content of builder and tree. Returns its size in MiB. */
static double write_slice(struct slice_builder *builder, const struct stack_tree *tree,
			  const char *path)
{
	static uint64_t epoch;
	struct slice_info info = {.host = "bench", .cpu_type = "bench"};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint64_t nr_bytes;
	int error = fd < 0 ? -errno : 0;

	info.epoch_first = info.epoch_last = ++epoch;
	if (tree)
		slice_builder_stacks(builder, tree);
	if (!error)
		error = slice_builder_write(builder, &info, fd, &nr_bytes);
	if (error || close(fd))
		bench_fail(path, error);
	return file_mib(path);
}

/* ---- simulation ---- */

/*
 * Returns the expected number of nodes in a random half of the samples: a node
 * with N samples is present with probability 1 - 2^-N.
 */
static double nodes_of_half(const struct stack_tree *tree)
{
	uint64_t *samples, *weights;
	double sum = 0;

	if (stack_tree_sum(tree, &samples, &weights))
		bench_fail("memory", -ENOMEM);
	for (uint32_t i = 0; i < tree->nr_nodes; i++)
		sum += 1 - exp2(-(double)samples[i]);
	free(samples);
	free(weights);
	return sum;
}

static void model_init(struct model *model, const struct stack_tree *recorded)
{
	*model = (struct model){.random = 1, .nr_nodes = recorded->nr_nodes};
	model->ends = malloc(ENDS_MAX * sizeof(*model->ends));
	if (!model->ends || stack_tree_init(&model->ways) ||
	    stack_tree_merge(&model->ways, recorded))
		bench_fail("memory", -ENOMEM);
	for (uint32_t i = 0; i < model->ways.nr_nodes; i++)
		for (uint64_t k = 0;
		     k < model->ways.nodes[i].nr_samples && model->nr_ends < ENDS_MAX; k++)
			model->ends[model->nr_ends++] = i;
	if (!model->nr_ends)
		bench_fail("nothing was recorded", ENODATA);
	model->nr_samples = model->nr_recorded = model->nr_ends;
	model->exponent = fmin(1, log2(model->nr_nodes / nodes_of_half(recorded)));
}

static double random_share(struct model *model)
{
	return (double)(bench_random(&model->random) >> 11) * 0x1p-53;
}

/* Adds a new sibling of node `near`, or a child if `near` is a root. Returns the new node. */
static uint32_t draw_new(struct model *model, uint32_t near)
{
	const struct stack_node *node = &model->ways.nodes[near];
	uint32_t parent = node->parent == STACK_NODE_ROOT ? near : node->parent;
	uint32_t image =
		node->parent == STACK_NODE_ROOT ? STACK_MARK(OPROF_STACK_UNKNOWN) : node->image;
	int64_t made =
		stack_tree_child(&model->ways, parent, image, node->offset + 64 * ++model->nr_new);

	if (made < 0)
		bench_fail("memory", (int)made);
	return (uint32_t)made;
}

static uint32_t draw(struct model *model)
{
	double grown = pow(model->nr_samples / model->nr_recorded, model->exponent);
	double p_new = model->exponent * model->nr_nodes * grown / model->nr_samples;
	uint32_t end = model->ends[bench_random(&model->random) % model->nr_ends];

	if (random_share(model) < p_new)
		end = draw_new(model, end);
	model->nr_samples++;
	if (model->nr_ends < ENDS_MAX)
		model->ends[model->nr_ends++] = end;
	else if (random_share(model) * model->nr_samples < ENDS_MAX)
		model->ends[bench_random(&model->random) % ENDS_MAX] = end;
	return end;
}

/* Copies the path to `node` from model->ways to `tree`. Returns the path's last node in `tree`. */
static uint32_t copy_way(const struct model *model, struct stack_tree *tree, uint32_t node)
{
	const struct stack_tree *ways = &model->ways;
	const struct stack_node *from = &ways->nodes[node];
	int64_t image = from->image;
	int64_t made;

	if (from->parent == STACK_NODE_ROOT) {
		made = stack_tree_root(tree, &ways->roots[from->image]);
	} else {
		uint32_t parent = copy_way(model, tree, from->parent);

		if (from->image < ways->nr_images)
			image = stack_tree_image(tree, &ways->images[from->image]);
		made = image < 0 ? image
				 : stack_tree_child(tree, parent, (uint32_t)image, from->offset);
	}
	if (made < 0)
		bench_fail("memory", (int)made);
	return (uint32_t)made;
}

static double make_minute(struct model *model, uint64_t nr_samples, const char *path)
{
	struct slice_builder *builder;
	struct stack_tree tree;
	double mib;

	if (slice_builder_create(&builder) || stack_tree_init(&tree))
		bench_fail("memory", -ENOMEM);
	for (uint64_t i = 0; i < nr_samples; i++)
		stack_tree_add(&tree, copy_way(model, &tree, draw(model)), 1, 1);
	mib = write_slice(builder, &tree, path);
	stack_tree_deinit(&tree);
	slice_builder_destroy(builder);
	return mib;
}

/* Returns the size of a merged slice of an hour, with stacks but without samples. */
static double merged_mib(struct model *model)
{
	static char names[NR_MINUTES][PATH_MAX];
	const uint64_t nr_samples = (uint64_t)model->nr_recorded;
	const char *paths[NR_MINUTES];
	char into[PATH_MAX];
	double minutes = 0, hour;
	struct diag diag;
	uint64_t nr_bytes;
	int fd, error;

	for (unsigned int i = 0; i < NR_MINUTES; i++) {
		snprintf(names[i], sizeof(names[i]), "%s/slice.%u", folder, i);
		paths[i] = names[i];
		minutes += make_minute(model, nr_samples, names[i]);
	}
	snprintf(into, sizeof(into), "%s/merged", folder);
	fd = open(into, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	error = fd < 0 ? -errno
		       : slice_merge(paths, NR_MINUTES, OPROF_SLICE_HOUR, fd, &nr_bytes, &diag);
	if (error || close(fd))
		real_session_fail(&diag, error);
	hour = file_mib(into);
	printf("# drawn: %u slices of stacks alone, %.2f MB, become one of %.2f MB\n", NR_MINUTES,
	       minutes, hour);
	return hour;
}

/* ---- lines ---- */

/* Returns the size of perf's file in MB per hour, or 0 if perf does not work on this machine. */
static double perf_mib(const char *option)
{
	char path[PATH_MAX];
	double mib = 0;

	snprintf(path, sizeof(path), "%s/perf.data", folder);
	if (real_session_record_perf(path, PERF_SECONDS, RECORD_HZ, option))
		mib = file_mib(path) * 3600 / PERF_SECONDS;
	(void)unlink(path);
	return mib;
}

static void print_peers(double ours)
{
	double raw = perf_mib(NULL);
	double packed = perf_mib("-z");

	if (raw > 0) {
		bench_print("peer_disk_per_hour_stacks", raw, "MB");
		bench_print("ratio_disk_per_hour_stacks", ours / raw, "x");
	}
	if (packed > 0)
		bench_print("peer_disk_per_hour_stacks_compressed", packed, "MB");
}

static void bench_hour(void)
{
	struct slice_builder *builder = real_session_load(folder);
	char path[PATH_MAX], session[PATH_MAX];
	double flat, minute, hour;
	struct stack_sum sum;
	struct model model;
	struct diag diag;
	int error;

	snprintf(session, sizeof(session), "%s/session/samples/current", folder);
	snprintf(path, sizeof(path), "%s/recorded", folder);
	diag_clear(&diag);
	error = stack_sum_init(&sum, session, &diag);
	if (error)
		real_session_fail(&diag, error);
	flat = write_slice(builder, NULL, path);
	minute = write_slice(builder, &sum.tree, path);
	slice_builder_destroy(builder);
	model_init(&model, &sum.tree);
	printf("# recorded: %.0f samples, %u nodes of %u roots; nodes grow as samples^%.2f; a "
	       "minute's slice: %.3f MB without stacks, %.3f MB with them\n",
	       model.nr_recorded, sum.tree.nr_nodes, sum.tree.nr_roots, model.exponent, flat,
	       minute);
	hour = NR_MINUTES * minute;
	bench_print("disk_per_hour_stacks", hour, "MB");
	bench_print("disk_per_hour_stacks_merged", merged_mib(&model), "MB");
	print_peers(hour);
	stack_sum_deinit(&sum);
	stack_tree_deinit(&model.ways);
	free(model.ends);
}

static void remove_folder(void)
{
	(void)file_remove_tree(folder);
}

int main(int argc, char **argv)
{
	const char *top = getenv("TMPDIR");

	bench_init(argc, argv);
	if (!bench_wanted("disk_per_hour_stacks"))
		return EXIT_SUCCESS;
	snprintf(folder, sizeof(folder), "%s/oprof-bench.XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(folder) || atexit(remove_folder))
		bench_fail(folder, errno);
	real_session_record_stacks(folder, RECORD_SECONDS, RECORD_HZ);
	bench_hour();
	return EXIT_SUCCESS;
}
