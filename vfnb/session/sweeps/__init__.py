"""A sweep: one task over batch sizes, seeds and further values, a job each, kept together."""
