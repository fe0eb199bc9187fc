// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stack file is a forest. It has a root for each set of stacks that reports show separately.
 * Below a root, it has a node for each function reached by one call path. stack_keep_add() walks
 * down from a root, from the outermost function of a stack to the function in which the sample was
 * taken:
 *
 *	root	the sample's key without its image: event, application, separation
 *	mark	[truncated] or [broken], if the outermost frames are missing
 *	callers	a child for each frame, outermost first
 *	leaf	a child for the sample's own frame, whose counts get the sample
 *
 * If the file is full, stack_file.h returns the node [other] instead of a new child. The walk ends
 * there, and [other] gets the sample: the stack is folded.
 *
 * stack_file.h finds or appends the record of a root, an image or a child, and returns its
 * position. Four caches make most of these calls, and the computations before them, unnecessary:
 *
 *	roots	position by root key		direct-mapped, ROOTS slots
 *	images	position by image cookie	direct-mapped, IMAGES slots
 *	memo	node by parent and frame	stack_memo.h
 *	memo	the callers of the last stack below a root or mark	stack_memo.h
 *
 * A position is valid until the file is closed or restarted: positions_forget() then clears all
 * caches. The node of a frame also depends on the frame's function. If a function is unknown now
 * but may be known later, the memo is cleared at memo_expires_ns.
 */
#include "daemon/filing/stack_keep.h"

#include "daemon/kernel/kernel_functions.h"
#include "daemon/session/separation.h"
#include "daemon/filing/stack_memo.h"
#include "lib/log.h"
#include "libdb/stacks/stack_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RETRY_NS    UINT64_C(1000000000)
#define COMPLAIN_NS UINT64_C(3600000000000)
/* If the source did not know the function at an address, it is asked again after this interval. */
#define UNKNOWN_NS  (10 * RETRY_NS)
#define ROOTS	    1024u /* powers of two */
#define IMAGES	    4096u
#define DAMAGED_MAX 100

/* Identifies a root. */
struct root_key {
	/*
	 * If the application is unknown and the sample is not of kernel mode, sample.image is the
	 * sample's image. Otherwise sample.image is 0.
	 */
	struct sample_key sample;
	bool by_image; /* samples are filed under their own images */
};

/* A slot of the cache of roots. position 0: the slot is empty. */
struct stack_root {
	struct root_key key;
	uint32_t position;
	uint32_t marks[OPROF_STACK_MARKS]; /* nodes below the root; 0: not looked up yet */
	/* True: samples have different weights. False: each sample has plain_weight. */
	bool weighted;
	uint64_t plain_weight;
};

/* A slot of the cache of images. position 0: the slot is empty. */
struct stack_image_slot {
	uint32_t cookie, position;
};

struct stack_keep {
	struct stack_keep_config config;
	char *path;
	struct stack_file *file; /* NULL: not open */
	uint64_t epoch;		 /* 0: none */
	uint64_t nr_kept;	 /* samples that this daemon has added to the file */
	uint64_t now_ns;	 /* time at which the round began */
	/* Error of the last attempt to open the file; valid until retry_ns. */
	int open_error;
	uint64_t retry_ns;
	uint64_t quiet_until_ns; /* failures are not logged before this time */
	struct kernel_functions functions;
	/* Working memory of root_add and image_add; too large for a stack. */
	struct placement placement;
	struct stack_root roots[ROOTS];
	struct stack_image_slot images[IMAGES];
	struct stack_memo memo;
	uint64_t memo_expires_ns; /* when to clear memo; 0: never */
};

int stack_keep_create(struct stack_keep **keep, const struct stack_keep_config *config)
{
	struct stack_keep *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->config = *config;
	if (asprintf(&made->path, "%s/" OPROF_STACK_FILE, config->session_path) < 0) {
		free(made);
		return -ENOMEM;
	}
	*keep = made;
	return 0;
}

void stack_keep_destroy(struct stack_keep *keep)
{
	if (!keep)
		return;
	stack_file_close(keep->file);
	kernel_functions_deinit(&keep->functions);
	free(keep->path);
	free(keep);
}

/* ---- the file ---- */

/* Logs one line an hour, whatever the number of stacks. */
static void keep_complain(struct stack_keep *keep, int error, const char *text)
{
	if (keep->now_ns < keep->quiet_until_ns)
		return;
	keep->quiet_until_ns = keep->now_ns + COMPLAIN_NS;
	log_error("call stacks are being lost: %s: %s", keep->path,
		  text && *text ? text : strerror(-error));
}

/* Returns whether the error means that the file is unusable, but a new file may work. */
static bool error_is_damage(int error)
{
	return error == -EINVAL || error == -EILSEQ || error == -EIO || error == -EPROTONOSUPPORT ||
	       error == -EISDIR;
}

/* Call when the file's records change, or the file is closed: forgets all positions. */
static void positions_forget(struct stack_keep *keep)
{
	keep->nr_kept = 0;
	memset(keep->roots, 0, sizeof(keep->roots));
	memset(keep->images, 0, sizeof(keep->images));
	stack_memo_clear(&keep->memo);
}

static void keep_close(struct stack_keep *keep)
{
	stack_file_close(keep->file);
	keep->file = NULL;
	positions_forget(keep);
}

void stack_keep_set_aside(struct stack_keep *keep, const char *why)
{
	uint64_t nr_kept = keep->nr_kept;
	unsigned int nr = 1;
	char *aside = NULL;

	keep_close(keep);
	while (asprintf(&aside, nr > 1 ? "%s.damaged.%u" : "%s.damaged", keep->path, nr) >= 0 &&
	       !access(aside, F_OK) && nr++ < DAMAGED_MAX) {
		free(aside);
		aside = NULL; /* prevents a second free() if the next asprintf() fails */
	}
	log_error("stack file %s is damaged (%s)%s%s", keep->path, why,
		  aside ? "; renaming it to " : "; it keeps its name", aside ? aside : "");
	if (aside && rename(keep->path, aside) && errno != ENOENT)
		log_error("cannot rename %s: %s", keep->path, strerror(errno));
	free(aside);
	if (nr_kept)
		keep->config.set_aside(keep->config.context, nr_kept);
}

static int keep_open(struct stack_keep *keep)
{
	struct diag diag;
	int error;

	if (!keep->epoch)
		return -ENOENT;
	if (keep->now_ns < keep->retry_ns)
		return keep->open_error;
	diag_clear(&diag);
	error = stack_file_open(&keep->file, keep->path, keep->epoch, keep->config.nr_bytes_max,
				&diag);
	if (error_is_damage(error)) {
		stack_keep_set_aside(keep, diag.text[0] ? diag.text : strerror(-error));
		diag_clear(&diag);
		error = stack_file_open(&keep->file, keep->path, keep->epoch,
					keep->config.nr_bytes_max, &diag);
	}
	if (!error)
		return 0;
	keep->file = NULL;
	keep->open_error = error;
	keep->retry_ns = keep->now_ns + RETRY_NS;
	keep_complain(keep, error, diag.text);
	return error;
}

void stack_keep_begin_epoch(struct stack_keep *keep, uint64_t epoch)
{
	keep->epoch = epoch;
	keep->retry_ns = 0;
	if (keep->file && !stack_file_is_at(keep->file, keep->path))
		keep_close(keep);
	if (keep->file && stack_file_restart(keep->file, epoch)) {
		/*
		 * The file cannot be emptied, for example because one of its pages is lost. The
		 * file can be removed, since all its stacks are in a slice.
		 */
		keep_close(keep);
		(void)unlink(keep->path);
	}
	positions_forget(keep);
	/* Even without stacks, a file of this epoch shows readers that stacks are kept. */
	if (!keep->file)
		(void)keep_open(keep);
}

void stack_keep_clear(struct stack_keep *keep)
{
	keep_close(keep);
	keep->epoch = 0;
}

void stack_keep_begin_round(struct stack_keep *keep, uint64_t now_ns)
{
	keep->now_ns = now_ns;
	if (!keep->memo_expires_ns || now_ns < keep->memo_expires_ns)
		return;
	keep->memo_expires_ns = 0;
	stack_memo_clear(&keep->memo);
}

bool stack_keep_wants_symbols(struct stack_keep *keep)
{
	bool wanted = keep->functions.wanted;

	keep->functions.wanted = false;
	return wanted;
}

uint64_t stack_keep_nr_bytes(const struct stack_keep *keep)
{
	return keep->file ? stack_file_nr_bytes(keep->file) : 0;
}

int stack_keep_sync(const struct stack_keep *keep)
{
	return keep->file ? stack_file_sync(keep->file) : 0;
}

/* ---- roots ---- */

static void path_set(struct slice_path *to, const struct sample_path *from)
{
	*to = (struct slice_path){
		.kind = from->kind,
		.path = from->path,
		.tgid = from->tgid,
		.start = from->start,
		.end = from->end,
	};
}

/*
 * A stack belongs to the application, even if the sample is filed under its own image. Functions of
 * the kernel and of libraries are thus below the program's functions that called them.
 * root.by_image marks roots whose samples are filed under their own images.
 */
static struct root_key root_key_of(const struct sample_key *key, uint32_t app,
				   const struct oprof_sample *sample)
{
	struct root_key root = {.sample = *key};

	if (key->kind != SAMPLE_OF_IMAGE) {
		root.sample.image = 0;
	} else if (app != OPROF_IMAGE_NONE) {
		root.sample.image = 0;
		root.sample.kind = SAMPLE_OF_APP;
		root.sample.app = app;
		root.by_image = true;
	} else if (sample->mode == OPROF_MODE_KERNEL) { /* a kernel thread */
		root.sample.image = 0;
		root.sample.kind = SAMPLE_OF_KERNEL;
		root.by_image = true;
	} /* otherwise the application is unknown, and root.sample keeps the image */
	return root;
}

static bool root_key_equal(const struct root_key *a, const struct root_key *b)
{
	return a->by_image == b->by_image && sample_key_equal(&a->sample, &b->sample);
}

/* Fills section for a root. placement: the placement of the samples below the root. */
static void root_section(const struct stack_keep *keep, const struct root_key *key,
			 const struct placement *placement, struct slice_section *section)
{
	const struct sdb_identity *identity = &placement->identity;
	const struct sample_name *name = &placement->name;

	*section = (struct slice_section){
		.event = identity->event,
		.period_or_hz = identity->period_or_hz,
		.unit_mask = identity->unit_mask,
		.flags = identity->flags & (OPROF_SDB_WEIGHTED | OPROF_SDB_FREQUENCY),
		.tgid = name->tgid,
		.tid = name->tid,
		.cpu = name->cpu,
		.cgroup = name->cgroup == SAMPLE_NAME_ALL ? NULL : identity->cgroup,
	};
	/* The flag does not depend on an image, since a root has samples of many images. */
	if (key->sample.kind == SAMPLE_OF_APP && keep->config.separation & SEPARATION_KERNEL)
		section->flags |= OPROF_SDB_KEEP_KERNEL;
	if (key->by_image)
		section->flags |= OPROF_STACK_BY_IMAGE;
	path_set(&section->app, &name->app);
}

/*
 * Finds the root in the file. image: the image of any sample below the root, which is needed to
 * look up the root's placement.
 */
static int root_add(struct stack_keep *keep, const struct root_key *key, uint32_t image,
		    struct stack_root *root)
{
	const struct sdb_identity *identity = &keep->placement.identity;
	struct sample_key of_sample = key->sample;
	struct slice_section section;
	int64_t position;
	int error;

	of_sample.image = image;
	error = keep->config.place(keep->config.context, &of_sample, &keep->placement);
	if (error)
		return error;
	root_section(keep, key, &keep->placement, &section);
	position = stack_file_root(keep->file, &section);
	if (position < 0)
		return (int)position;
	*root = (struct stack_root){
		.key = *key,
		.position = (uint32_t)position,
		.weighted = identity->flags & OPROF_SDB_WEIGHTED,
		.plain_weight = identity->flags & OPROF_SDB_FREQUENCY ? 1 : identity->period_or_hz,
	};
	return 0;
}

/*
 * Finds the root of `key`, or adds it. image: as for root_add. *found is valid until the next call.
 */
static int root_find(struct stack_keep *keep, const struct root_key *key, uint32_t image,
		     struct stack_root **found)
{
	uint64_t hash = sample_key_hash(&key->sample) + key->by_image;
	struct stack_root *root = &keep->roots[hash & (ROOTS - 1)];
	int error;

	if (!root->position || !root_key_equal(&root->key, key)) {
		error = root_add(keep, key, image, root);
		if (error)
			return error;
	}
	*found = root;
	return 0;
}

/* ---- images ---- */

static int64_t image_add(struct stack_keep *keep, const struct image *image)
{
	struct sample_path *path = &keep->placement.name.image;
	struct stack_image stack_image = {
		.kind = image->kind,
		.image_start = image->kind == OPROF_IMAGE_ANON ? image->start : 0,
		.identity = image->identity,
	};
	int error = placement_path(path, image);

	if (error)
		return error;
	path_set(&stack_image.path, path);
	return stack_file_image(keep->file, &stack_image);
}

/* Returns the position of the image's record, or -errno. */
static int64_t image_find(struct stack_keep *keep, const struct image *image)
{
	struct stack_image_slot *slot = &keep->images[image->cookie & (IMAGES - 1)];
	int64_t position;

	if (slot->position && slot->cookie == image->cookie)
		return slot->position;
	position = image_add(keep, image);
	if (position > 0)
		*slot = (struct stack_image_slot){image->cookie, (uint32_t)position};
	return position;
}

/* ---- frames ---- */

/* Current node of a walk through the file. folded: the node is [other], where the walk ends. */
struct keep_walk {
	uint32_t node;
	bool folded;
};

/* Moves to a child of the current node. Returns 0 or -errno. */
static int walk_child(struct stack_keep *keep, struct keep_walk *walk, uint32_t image,
		      uint64_t offset)
{
	int64_t node = stack_file_child(keep->file, walk->node, image, offset, &walk->folded);

	if (node < 0)
		return (int)node;
	walk->node = (uint32_t)node;
	return 0;
}

/*
 * Moves to the child [other], since there is no room for the frame's records. Returns 0 or -errno.
 */
static int walk_fold(struct stack_keep *keep, struct keep_walk *walk)
{
	int error = walk_child(keep, walk, OPROF_STACK_OTHER, 0);

	walk->folded = true;
	return error;
}

/*
 * Requests that the memo is cleared in `ns` nanoseconds, since functions that are unknown now may
 * be known at that time.
 */
static void memo_expire_in(struct stack_keep *keep, uint64_t ns)
{
	uint64_t expires_ns = keep->now_ns + ns;

	if (!keep->memo_expires_ns || expires_ns < keep->memo_expires_ns)
		keep->memo_expires_ns = expires_ns;
}

static uint64_t kernel_function_at(struct stack_keep *keep, const struct image *image,
				   uint64_t offset)
{
	uint64_t start = kernel_functions_find(&keep->functions, image, offset,
					       keep->config.meta_path, keep->now_ns);

	if (start == KERNEL_FUNCTIONS_UNKNOWN)
		return offset;
	if (start != KERNEL_FUNCTIONS_WANTED)
		return start;
	memo_expire_in(keep, 1); /* in the next round */
	return offset;
}

/*
 * Returns the offset of the first byte of the function that contains offset; offset itself if the
 * function is unknown.
 */
static uint64_t function_at(struct stack_keep *keep, const struct image *image, uint64_t offset)
{
	const struct source *source = keep->config.source;
	uint64_t start = UINT64_MAX;

	if (source->ops->function)
		start = source->ops->function(source, image->cookie, offset);
	if (start != UINT64_MAX)
		return start;
	if (image->kind == OPROF_IMAGE_KERNEL || image->kind == OPROF_IMAGE_MODULE)
		return kernel_function_at(keep, image, offset);
	if (source->ops->function)
		memo_expire_in(keep, UNKNOWN_NS);
	return offset;
}

/*
 * Returns the offset at which to look up the frame's function. A return address is the address
 * after the call. Since the call may be the last instruction of its function, the offset of the
 * byte before the return address is returned.
 */
static uint64_t frame_place(const struct oprof_frame *frame, bool is_return)
{
	return is_return && frame->offset ? frame->offset - 1 : frame->offset;
}

/*
 * Sets *key to the key of a frame's node, which is a key of the image's sample files
 * (oprof_stack_node in oprof/stack_file.h). Returns false if the code has no name.
 */
static bool frame_key(struct stack_keep *keep, const struct image *image,
		      const struct oprof_frame *frame, bool is_return, uint64_t *key)
{
	*key = frame->offset;
	switch (image->kind) {
	case OPROF_IMAGE_CODE:
	case OPROF_IMAGE_BPF:
		return code_keys_find(keep->config.code, image->cookie, key) >= 0;
	case OPROF_IMAGE_OFF_CPU:
	case OPROF_IMAGE_IDLE:
		return true;
	case OPROF_IMAGE_FILE:
	case OPROF_IMAGE_KERNEL:
	case OPROF_IMAGE_MODULE:
	case OPROF_IMAGE_VDSO:
	case OPROF_IMAGE_ANON:
		break;
	}
	*key = function_at(keep, image, frame_place(frame, is_return));
	return true;
}

/* Like walk_frame, for a frame that is not in the memo. */
static int walk_frame_slow(struct stack_keep *keep, struct keep_walk *walk,
			   const struct oprof_frame *frame, bool is_return)
{
	const struct source *source = keep->config.source;
	const struct image *image = NULL;
	int64_t position;
	uint64_t key;

	if (frame->image != OPROF_IMAGE_NONE)
		image = source->ops->image(source, frame->image);
	if (!image || !frame_key(keep, image, frame, is_return, &key))
		return walk_child(keep, walk, OPROF_STACK_UNKNOWN, 0);
	position = image_find(keep, image);
	if (position == -ENOMEM || error_is_damage((int)position))
		return (int)position;
	if (position < 0)
		return walk_fold(keep, walk);
	return walk_child(keep, walk, (uint32_t)position, key);
}

/* Moves to the child for frame. Returns 0 or -errno. */
static inline int walk_frame(struct stack_keep *keep, struct keep_walk *walk,
			     const struct oprof_frame *frame, bool is_return)
{
	uint32_t parent = walk->node;
	struct stack_memo_frame *slot =
		stack_memo_frame(&keep->memo, parent, frame->image, frame->offset, is_return);
	int error;

	if (stack_memo_frame_is(slot, parent, frame->image, frame->offset, is_return)) {
		*walk = (struct keep_walk){slot->node, slot->folded};
		return 0;
	}
	error = walk_frame_slow(keep, walk, frame, is_return);
	if (error)
		return error;
	*slot = (struct stack_memo_frame){
		.offset = frame->offset,
		.image = frame->image,
		.parent = parent,
		.node = walk->node,
		.is_return = is_return,
		.folded = walk->folded,
	};
	return 0;
}

/* ---- stacks ---- */

/*
 * Returns whether the frame's offset is a return address. Walking with unwind tables gives the
 * address of the call instruction. Frame pointers and the kernel give the address after the call.
 */
static bool frame_is_return(const struct oprof_sample *sample, const struct oprof_frame *frame)
{
	return sample->chain_kind != OPROF_CHAIN_UNWIND_TABLES || frame->mode != OPROF_MODE_USER;
}

/*
 * Moves to the child for each caller, outermost first. Stops early if the stack is folded. Returns
 * 0 or -errno.
 */
static int walk_callers(struct stack_keep *keep, struct keep_walk *walk,
			const struct oprof_sample *sample)
{
	const struct oprof_frame *callers = (const struct oprof_frame *)(sample + 1);
	struct stack_memo_chain *chain =
		stack_memo_chain(&keep->memo, walk->node, sample->chain_kind);
	uint32_t i = stack_memo_chain_shared(chain, callers, sample->nr_frames);

	chain->nr_frames = (uint16_t)i;
	if (i)
		walk->node = chain->nodes[i - 1];
	for (; i < sample->nr_frames; i++) {
		const struct oprof_frame *frame = &callers[sample->nr_frames - 1 - i];
		int error = walk_frame(keep, walk, frame, frame_is_return(sample, frame));

		if (error || walk->folded)
			return error;
		stack_memo_chain_add(chain, frame, walk->node);
	}
	return 0;
}

/* Moves to the root's node for missing outermost frames. Returns 0 or -errno. */
static int walk_mark(struct stack_keep *keep, struct keep_walk *walk, struct stack_root *root,
		     enum oprof_stack_mark mark)
{
	int error;

	if (root->marks[mark]) {
		walk->node = root->marks[mark];
		return 0;
	}
	error = walk_child(keep, walk, mark, 0);
	if (!error && !walk->folded)
		root->marks[mark] = walk->node;
	return error;
}

/* Returns the mark for missing frames, or OPROF_STACK_UNKNOWN if no frames are missing. */
static enum oprof_stack_mark sample_mark(const struct oprof_sample *sample)
{
	if (sample->head.flags & OPROF_SAMPLE_CHAIN_BROKEN)
		return OPROF_STACK_BROKEN;
	if (sample->head.flags & OPROF_SAMPLE_CHAIN_TRUNCATED)
		return OPROF_STACK_TRUNCATED;
	return OPROF_STACK_UNKNOWN;
}

/* Moves from the root to the node that gets the sample. Returns 0 or -errno. */
static int walk_stack(struct stack_keep *keep, struct keep_walk *walk, struct stack_root *root,
		      const struct oprof_sample *sample)
{
	enum oprof_stack_mark mark = sample_mark(sample);
	int error = 0;

	*walk = (struct keep_walk){.node = root->position};
	if (mark != OPROF_STACK_UNKNOWN)
		error = walk_mark(keep, walk, root, mark);
	if (!error && !walk->folded)
		error = walk_callers(keep, walk, sample);
	if (!error && !walk->folded)
		error = walk_frame(keep, walk, &sample->leaf, false);
	return error;
}

static int kept_bits(const struct keep_walk *walk, const struct oprof_sample *sample)
{
	enum oprof_stack_mark mark = sample_mark(sample);

	return (walk->folded ? STACK_KEPT_FOLDED : 0) |
	       (mark == OPROF_STACK_TRUNCATED ? STACK_KEPT_TRUNCATED : 0) |
	       (mark == OPROF_STACK_BROKEN ? STACK_KEPT_BROKEN : 0);
}

static int add_once(struct stack_keep *keep, const struct sample_key *key, uint32_t app,
		    const struct oprof_sample *sample, uint64_t weight)
{
	const struct root_key root_key = root_key_of(key, app, sample);
	struct stack_root *root;
	struct keep_walk walk;
	int error;

	error = keep->file ? 0 : keep_open(keep);
	if (!error)
		error = root_find(keep, &root_key, key->image, &root);
	if (!error)
		error = walk_stack(keep, &walk, root, sample);
	if (!error)
		error = stack_file_add(keep->file, walk.node, 1,
				       root->weighted ? weight : root->plain_weight);
	if (error)
		return error;
	keep->nr_kept++;
	return kept_bits(&walk, sample);
}

int stack_keep_add(struct stack_keep *keep, const struct sample_key *key, uint32_t app,
		   const struct oprof_sample *sample, uint64_t weight)
{
	int kept = add_once(keep, key, app, sample, weight);

	if (kept >= 0)
		return kept;
	/*
	 * If the file is damaged, the stack is added to a new file. After any other error the stack
	 * is lost.
	 */
	if (keep->file && error_is_damage(kept)) {
		stack_keep_set_aside(keep, strerror(-kept));
		kept = add_once(keep, key, app, sample, weight);
	}
	if (kept < 0)
		keep_complain(keep, kept, NULL);
	return kept;
}
