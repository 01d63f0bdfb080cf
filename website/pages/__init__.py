"""What Sphinx makes a page of: each module is a directive, or another part of all pages, with a `setup` for Sphinx."""
