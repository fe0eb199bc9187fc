/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A slice as a daemon would give it to oprof top, of the same samples each
 * time, and the symbols it refers to.
 *
 *   cpu-clock at 99 Hz: 1000 samples, 500 idle (CPU 1: all of them, CPU 0 none)
 *     hot_function  600  vmlinux   /usr/bin/load  100.101  CPU 0  /a.service
 *     cold_function 280  vmlinux   /usr/bin/load  100.102  CPU 1  /a.service
 *     (no symbol)    20  vmlinux   /usr/bin/load  100.102  CPU 1  /a.service
 *     (no symbol)    98  ext4      /usr/bin/save  200.200  CPU 0  /b.service
 *     (no symbol)     2  /no/such  /usr/bin/save  200.200  CPU 0  /b.service
 *   off-cpu: 3 stretches, 4 ms, of /usr/bin/save
 * in 10 s, with 30 lost.
 */
#ifndef TESTS_UNIT_TOP_SLICE_H
#define TESTS_UNIT_TOP_SLICE_H

#define TOP_SLICE_END_NS   INT64_C(1700000000000000000)
#define TOP_SLICE_BEGIN_NS (TOP_SLICE_END_NS - INT64_C(10000000000))

/* A descriptor at its start. */
int top_slice_make(void);

/* Symbols of vmlinux below meta_path, which is made. */
void top_slice_make_symbols(const char *meta_path);

#endif
