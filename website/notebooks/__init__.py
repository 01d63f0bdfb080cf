"""Each chapter as a notebook."""
