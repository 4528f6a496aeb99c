"""Many jobs on this machine's devices: a policy decides who has how many, and resizes carry it out."""
