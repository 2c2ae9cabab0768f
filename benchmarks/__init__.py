"""Timings: what `make bench` prints. Described in docs/benchmark.md."""

import os

# Matrices here are small: threads that wait for each other would only slow scipy down. Read when numpy is imported.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
