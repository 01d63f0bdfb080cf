"""Chapters run, and their text gets the values of the run."""
