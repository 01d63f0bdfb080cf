"""Running the chapters, and filling their text with the values of the run."""
