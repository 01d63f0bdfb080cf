"""What Sphinx adds to pages: each module is a directive, or another part of all pages, with a `setup` for Sphinx."""
