// SPDX-License-Identifier: GPL-2.0-or-later
// Two functions that make up nearly all of its time, three to one. Argument:
// milliseconds in sum.
'use strict';

function codeHot(n) {
	let sum = 0;

	for (let i = 0; i < n; i++)
		sum = (sum * 31 + i) | 0;
	return sum;
}

function codeWarm(n) {
	let sum = 1;

	for (let i = 0; i < n; i++)
		sum ^= (sum << 1) + i;
	return sum;
}

const share = Number(process.argv[2] || 1000) / 4;
let sum = 0;

// By time, not by loops: which of the two a machine is better at says nothing.
function run(work, milliseconds) {
	const end = process.cpuUsage().user + milliseconds * 1000;

	while (process.cpuUsage().user < end)
		sum += work(2e6);
}

// Other functions come all the while: code grows, and is made over code.
for (let i = 0; i < 5; i++) {
	for (let k = 0; k < 200; k++)
		sum += new Function('x', `return x * ${i * 200 + k} + 1;`)(k);
	run(codeHot, share * 3 / 5);
	run(codeWarm, share / 5);
}
console.log(sum);
