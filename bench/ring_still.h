/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_RING_STILL_H
#define BENCH_RING_STILL_H

struct ring;

/* Reserves and commits nr records of 16 bytes without reading a clock or writing a payload. */
void ring_still_records(struct ring *ring, unsigned int nr);

#endif
