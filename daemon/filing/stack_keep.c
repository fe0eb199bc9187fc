// SPDX-License-Identifier: GPL-2.0-or-later
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
#define FORGET_NS   (10 * RETRY_NS) /* that a function was not known */
#define ROOTS	    1024u	    /* remembered; powers of two */
#define IMAGES	    4096u
#define DAMAGED_MAX 100

/* A root that was found lately. position 0: none. */
struct stack_root {
	struct sample_key key;
	uint32_t position;
	uint32_t marks[OPROF_STACK_MARKS]; /* nodes below it; 0: not asked for yet */
	bool by_image;			   /* OPROF_STACK_BY_IMAGE */
	bool weighted;
	uint64_t plain_weight; /* of a sample, where its file stores none */
};

/* position 0: none. */
struct stack_image_slot {
	uint32_t cookie, position;
	uint32_t kind; /* enum oprof_image_kind */
};

struct stack_keep {
	struct stack_keep_config config;
	char *path;
	struct stack_file *file; /* NULL: not open */
	uint64_t epoch;		 /* 0: none */
	uint64_t nr_kept;	 /* by this daemon, in the file */
	uint64_t now_ns, retry_ns, quiet_until_ns;
	uint64_t forget_ns; /* when to clear memo; 0: never */
	int open_error;	    /* until retry_ns */
	struct kernel_functions functions;
	struct placement placement; /* in hand: big */
	struct stack_root roots[ROOTS];
	struct stack_image_slot images[IMAGES];
	struct stack_memo memo;
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

/* One line an hour, whatever the number of stacks. */
static void keep_complain(struct stack_keep *keep, int error, const char *text)
{
	if (keep->now_ns < keep->quiet_until_ns)
		return;
	keep->quiet_until_ns = keep->now_ns + COMPLAIN_NS;
	log_error("call stacks are being lost: %s: %s", keep->path,
		  text && *text ? text : strerror(-error));
}

static bool error_is_damage(int error)
{
	return error == -EINVAL || error == -EILSEQ || error == -EIO || error == -EPROTONOSUPPORT ||
	       error == -EISDIR;
}

/* Positions are void. */
static void keep_forget(struct stack_keep *keep)
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
	keep_forget(keep);
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
		aside = NULL; /* the next may find no memory */
	}
	log_error("stack file %s is damaged (%s): set aside", keep->path, why);
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
		/* It lost a page; it holds nothing that is not in a slice. */
		keep_close(keep);
		(void)unlink(keep->path);
	}
	keep_forget(keep);
	/* That there is one of this epoch says that stacks are kept in it. */
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
	if (!keep->forget_ns || now_ns < keep->forget_ns)
		return;
	keep->forget_ns = 0;
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

/* keep->placement is of root->key: a sample's file, but for its image. */
static void root_section(const struct stack_keep *keep, const struct stack_root *root,
			 struct slice_section *section)
{
	const struct sdb_identity *identity = &keep->placement.identity;
	const struct sample_name *name = &keep->placement.name;

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
	/* Not as the sample's own image says: one root holds what a program does in both. */
	if (root->key.kind == SAMPLE_OF_APP && keep->config.separation & SEPARATION_KERNEL)
		section->flags |= OPROF_SDB_KEEP_KERNEL;
	if (root->by_image)
		section->flags |= OPROF_STACK_BY_IMAGE;
	path_set(&section->app, &name->app);
}

/* root->key is set; image: that of a sample, which has nothing to say. */
static int root_fill(struct stack_keep *keep, struct stack_root *root, uint32_t image)
{
	const struct sdb_identity *identity = &keep->placement.identity;
	struct sample_key key = root->key;
	struct slice_section section;
	int64_t position;
	int error;

	key.image = image;
	error = keep->config.place(keep->config.context, &key, &keep->placement);
	if (error)
		return error;
	root_section(keep, root, &section);
	position = stack_file_root(keep->file, &section);
	if (position < 0)
		return (int)position;
	memset(root->marks, 0, sizeof(root->marks));
	root->weighted = identity->flags & OPROF_SDB_WEIGHTED;
	root->plain_weight = identity->flags & OPROF_SDB_FREQUENCY ? 1 : identity->period_or_hz;
	root->position = (uint32_t)position;
	return 0;
}

/*
 * Whose stack it is: of the application, so that what the kernel and libraries
 * did stands below it, whatever they are filed under. True: not under it, but
 * under the sample's own image.
 */
static bool root_key(struct sample_key *key, uint32_t app, const struct oprof_sample *sample)
{
	bool by_image = key->kind == SAMPLE_OF_IMAGE;

	if (by_image && app != OPROF_IMAGE_NONE) {
		key->kind = SAMPLE_OF_APP;
		key->app = app;
	} else if (by_image && sample->mode == OPROF_MODE_KERNEL) {
		key->kind = SAMPLE_OF_KERNEL; /* a thread of the kernel */
	} else {
		return false;
	}
	return true;
}

static int root_find(struct stack_keep *keep, const struct sample_key *key, uint32_t app,
		     const struct oprof_sample *sample, struct stack_root **found)
{
	struct sample_key of_root = *key;
	bool by_image = root_key(&of_root, app, sample);
	struct stack_root *root;
	int error;

	/* Filed under the image itself, of nobody known: that is the application. */
	if (of_root.kind != SAMPLE_OF_IMAGE)
		of_root.image = 0;
	root = &keep->roots[(sample_key_hash(&of_root) + by_image) & (ROOTS - 1)];
	if (!root->position || root->by_image != by_image ||
	    !sample_key_equal(&root->key, &of_root)) {
		root->position = 0;
		root->key = of_root;
		root->by_image = by_image;
		error = root_fill(keep, root, key->image);
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

/* Its position, or -errno; *image is what the source knows of it. */
static int64_t image_find(struct stack_keep *keep, const struct image *image)
{
	struct stack_image_slot *slot = &keep->images[image->cookie & (IMAGES - 1)];
	int64_t position;

	if (slot->position && slot->cookie == image->cookie)
		return slot->position;
	position = image_add(keep, image);
	if (position > 0)
		*slot = (struct stack_image_slot){image->cookie, (uint32_t)position, image->kind};
	return position;
}

/* ---- frames ---- */

/* Where a frame leads from a node. */
struct step {
	uint32_t node;
	bool folded;
};

/* A node that holds what there is no room for, below at. */
static int step_fold(struct stack_keep *keep, uint32_t at, struct step *step)
{
	int64_t node = stack_file_child(keep->file, at, OPROF_STACK_OTHER, 0, &step->folded);

	if (node < 0)
		return (int)node;
	step->node = (uint32_t)node;
	step->folded = true;
	return 0;
}

static int step_child(struct stack_keep *keep, uint32_t at, uint32_t image, uint64_t offset,
		      struct step *step)
{
	int64_t node = stack_file_child(keep->file, at, image, offset, &step->folded);

	if (node < 0)
		return (int)node;
	step->node = (uint32_t)node;
	return 0;
}

/* Ask anew what is remembered, some time: it may be better known then. */
static void forget_in(struct stack_keep *keep, uint64_t ns)
{
	uint64_t forget_ns = keep->now_ns + ns;

	if (!keep->forget_ns || forget_ns < keep->forget_ns)
		keep->forget_ns = forget_ns;
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
	forget_in(keep, 1); /* next round */
	return offset;
}

/* The first byte of the function at offset, or offset itself. */
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
		forget_in(keep, FORGET_NS);
	return offset;
}

/* *offset becomes what sample files of the image have as keys. False: it has no name. */
static bool frame_key(struct stack_keep *keep, const struct image *image, bool is_return,
		      uint64_t *offset)
{
	switch (image->kind) {
	case OPROF_IMAGE_CODE:
	case OPROF_IMAGE_BPF:
		return code_keys_find(keep->config.code, image->cookie, offset) >= 0;
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
	/* The call before it, which may be its function's last instruction. */
	if (is_return && *offset)
		--*offset;
	*offset = function_at(keep, image, *offset);
	return true;
}

static int step_slow(struct stack_keep *keep, uint32_t at, const struct oprof_frame *frame,
		     bool is_return, struct step *step)
{
	const struct image *image = NULL;
	uint64_t offset = frame->offset;
	int64_t position;

	*step = (struct step){.node = 0};
	if (frame->image != OPROF_IMAGE_NONE)
		image = keep->config.source->ops->image(keep->config.source, frame->image);
	if (!image || !frame_key(keep, image, is_return, &offset))
		return step_child(keep, at, OPROF_STACK_UNKNOWN, 0, step);
	position = image_find(keep, image);
	if (position == -ENOMEM || error_is_damage((int)position))
		return (int)position;
	if (position < 0)
		return step_fold(keep, at, step);
	return step_child(keep, at, (uint32_t)position, offset, step);
}

/* *node: of the frame below at. 1: it was folded, 0: it was not; -errno. */
static inline int frame_step(struct stack_keep *keep, uint32_t at, const struct oprof_frame *frame,
			     bool is_return, uint32_t *node)
{
	struct stack_memo_frame *slot =
		stack_memo_frame(&keep->memo, at, frame->image, frame->offset, is_return);
	struct step step;
	int error;

	if (stack_memo_frame_is(slot, at, frame->image, frame->offset, is_return)) {
		*node = slot->node;
		return slot->folded;
	}
	error = step_slow(keep, at, frame, is_return, &step);
	if (error)
		return error;
	*slot = (struct stack_memo_frame){
		.offset = frame->offset,
		.image = frame->image,
		.parent = at,
		.node = step.node,
		.is_return = is_return,
		.folded = step.folded,
	};
	*node = step.node;
	return step.folded;
}

/* ---- stacks ---- */

/* Tables give the call's own place, pointers of frames (and the kernel) where it returns to. */
static bool frame_is_return(const struct oprof_sample *sample, const struct oprof_frame *frame)
{
	return sample->chain_kind != OPROF_CHAIN_UNWIND_TABLES || frame->mode != OPROF_MODE_USER;
}

/* The callers, from *at on, where *at ends up. As frame_step. */
static int walk_callers(struct stack_keep *keep, const struct oprof_sample *sample, uint32_t *at)
{
	const struct oprof_frame *callers = (const struct oprof_frame *)(sample + 1);
	struct stack_memo_chain *chain = stack_memo_chain(&keep->memo, *at, sample->chain_kind);
	uint32_t i = stack_memo_chain_shared(chain, callers, sample->nr_frames);

	chain->nr_frames = (uint16_t)i;
	if (i)
		*at = chain->nodes[i - 1];
	for (; i < sample->nr_frames; i++) {
		const struct oprof_frame *frame = &callers[sample->nr_frames - 1 - i];
		int folded = frame_step(keep, *at, frame, frame_is_return(sample, frame), at);

		if (folded)
			return folded;
		stack_memo_chain_add(chain, frame, *at);
	}
	return 0;
}

/* The node below root that says that its outermost frames lack, or root itself. */
static int walk_begin(struct stack_keep *keep, struct stack_root *root, enum oprof_stack_mark mark,
		      uint32_t *at)
{
	struct step step = {0};
	int error;

	*at = root->position;
	if (mark == OPROF_STACK_UNKNOWN)
		return 0;
	if (!root->marks[mark]) {
		error = step_child(keep, *at, mark, 0, &step);
		if (error)
			return error;
		if (step.folded) {
			*at = step.node;
			return 1;
		}
		root->marks[mark] = step.node;
	}
	*at = root->marks[mark];
	return 0;
}

static enum oprof_stack_mark sample_mark(const struct oprof_sample *sample)
{
	if (sample->head.flags & OPROF_SAMPLE_CHAIN_BROKEN)
		return OPROF_STACK_BROKEN;
	if (sample->head.flags & OPROF_SAMPLE_CHAIN_TRUNCATED)
		return OPROF_STACK_TRUNCATED;
	return OPROF_STACK_UNKNOWN; /* none */
}

static int add_once(struct stack_keep *keep, const struct sample_key *key, uint32_t app,
		    const struct oprof_sample *sample, uint64_t weight)
{
	enum oprof_stack_mark mark = sample_mark(sample);
	struct stack_root *root;
	uint32_t at;
	int folded, error;

	error = keep->file ? 0 : keep_open(keep);
	if (!error)
		error = root_find(keep, key, app, sample, &root);
	if (error)
		return error;
	folded = walk_begin(keep, root, mark, &at);
	if (!folded)
		folded = walk_callers(keep, sample, &at);
	if (!folded)
		folded = frame_step(keep, at, &sample->leaf, false, &at);
	if (folded < 0)
		return folded;
	error = stack_file_add(keep->file, at, 1, root->weighted ? weight : root->plain_weight);
	if (error)
		return error;
	keep->nr_kept++;
	return (folded ? STACK_KEPT_FOLDED : 0) |
	       (mark == OPROF_STACK_TRUNCATED ? STACK_KEPT_TRUNCATED : 0) |
	       (mark == OPROF_STACK_BROKEN ? STACK_KEPT_BROKEN : 0);
}

int stack_keep_add(struct stack_keep *keep, const struct sample_key *key, uint32_t app,
		   const struct oprof_sample *sample, uint64_t weight)
{
	int kept = add_once(keep, key, app, sample, weight);

	if (kept >= 0)
		return kept;
	/* Damaged: a new one takes the stack. Anything else passes, or does not. */
	if (keep->file && error_is_damage(kept)) {
		stack_keep_set_aside(keep, strerror(-kept));
		kept = add_once(keep, key, app, sample, weight);
	}
	if (kept < 0)
		keep_complain(keep, kept, NULL);
	return kept;
}
