/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_RING_STILL_H
#define BENCH_RING_STILL_H

struct ring;

/* Reserve and commit so many records of 16 bytes, reading no clock and writing no payload. */
void ring_still_records(struct ring *ring, unsigned int nr);

#endif
