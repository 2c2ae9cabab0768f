"""The core: cables on bodies and supports as one compiled solve.  [docs/theory/core.md]"""
