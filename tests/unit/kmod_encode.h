/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream as the kernel module's buffer gives it, made by hand. */
#ifndef TESTS_KMOD_ENCODE_H
#define TESTS_KMOD_ENCODE_H

#include "oprof/kmod.h"
#include "oprof/sample_file.h"

#include <stdbool.h>
#include <stddef.h>

struct kmod_stream {
	uint64_t words[1 << 14];
	size_t nr_bytes;
};

void kmod_stream_clear(struct kmod_stream *stream);

/* Any bytes behind a head; rounded up to 8. */
void kmod_stream_add(struct kmod_stream *stream, uint16_t type, const void *record, size_t nr_bytes,
		     const void *behind, size_t nr_behind);

void kmod_stream_cpu(struct kmod_stream *stream, uint32_t cpu);
void kmod_stream_task(struct kmod_stream *stream, int32_t tgid, int32_t tid, uint64_t generation,
		      uint32_t app);
void kmod_stream_cgroup(struct kmod_stream *stream, int32_t tgid, uint64_t generation,
			uint64_t cgroup);
void kmod_stream_file(struct kmod_stream *stream, uint32_t cookie, uint64_t inode);
void kmod_stream_region(struct kmod_stream *stream, uint32_t cookie, const char *name, int32_t tgid,
			uint64_t generation, uint64_t start, uint64_t end);
void kmod_stream_image(struct kmod_stream *stream, enum oprof_image_kind kind, uint32_t cookie,
		       const char *name, uint64_t start, uint64_t end);
void kmod_stream_release(struct kmod_stream *stream, uint32_t cookie);
void kmod_stream_end(struct kmod_stream *stream, uint64_t generation);
void kmod_stream_module(struct kmod_stream *stream, uint16_t flags, uint32_t cookie, uint64_t start,
			uint64_t size);
/* image OPROF_IMAGE_NONE: of the kernel, offset is the address. */
void kmod_stream_sample(struct kmod_stream *stream, uint64_t time_ns, uint16_t event,
			uint32_t image, uint64_t offset);
void kmod_stream_chain(struct kmod_stream *stream, uint64_t time_ns, uint16_t flags,
		       const struct oprof_frame *leaf, const struct oprof_frame *callers,
		       uint16_t nr_callers);
void kmod_stream_switch(struct kmod_stream *stream, uint64_t time_ns, uint32_t state);
void kmod_stream_switches_lost(struct kmod_stream *stream, uint64_t time_ns, uint64_t nr);
void kmod_stream_lost(struct kmod_stream *stream, uint32_t reason, uint64_t nr);
void kmod_stream_throttle(struct kmod_stream *stream, uint32_t event, uint32_t cpu, bool begins);

#endif
