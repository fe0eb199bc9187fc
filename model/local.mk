# SPDX-License-Identifier: GPL-2.0-or-later
# Models of the ring, for Spin: searched in the build folder, below model/.
EXTRA_DIST += model/README.md model/litmus.py model/run.sh \
	model/commit.pml model/flush.pml model/ghost.pml model/reader.pml model/repair.pml \
	model/ring.pml model/writer.pml

model:
	$(top_srcdir)/model/run.sh $(M)

clean-local: clean-model
clean-model:
	-rm -rf model/discard* model/overwrite* model/without-* model/nobody-* model/clock-* model/K42 model/litmus.out
.PHONY: model clean-model
