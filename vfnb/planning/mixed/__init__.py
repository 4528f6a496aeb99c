"""Mappings for devices of several speeds: the fastest there are for a measured profile."""
