"""Random scenes that combine features, and an independent judge of their answers."""
