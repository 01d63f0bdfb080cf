"""Semantic search over a collection of texts."""
