// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with a known profile for scripts/demo: nearly all of its time is
 * in escape_time, called for each point of a picture of the Mandelbrot set.
 *
 *   demo_workload SECONDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SIDE	  400
#define MAX_STEPS 500

static __attribute__((noinline)) unsigned int escape_time(double cx, double cy)
{
	double x = 0;
	double y = 0;
	unsigned int steps = 0;

	while (x * x + y * y < 4 && steps < MAX_STEPS) {
		double next = x * x - y * y + cx;

		y = 2 * x * y + cy;
		x = next;
		steps++;
	}
	return steps;
}

static __attribute__((noinline)) unsigned long draw_picture(void)
{
	unsigned long sum = 0;

	for (int row = 0; row < SIDE; row++)
		for (int column = 0; column < SIDE; column++)
			sum += escape_time(3.0 * column / SIDE - 2, 2.4 * row / SIDE - 1.2);
	return sum;
}

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = now_seconds() + (argc > 1 ? strtod(argv[1], NULL) : 5);
	unsigned long sum = 0;
	unsigned int pictures = 0;

	while (now_seconds() < end) {
		sum += draw_picture();
		pictures++;
	}
	printf("%u pictures, %lu steps\n", pictures, sum);
	return 0;
}
