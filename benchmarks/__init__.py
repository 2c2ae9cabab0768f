"""Timings: what `make bench` prints. Described in docs/benchmark.md."""
