"""The target cluster: whether a run fits there, how long it takes and what it costs; pure arithmetic.

A `Workload` says what one training pass of a model asks of a device, per sample; the other files ask what a row of
the catalogue does with it.
"""
