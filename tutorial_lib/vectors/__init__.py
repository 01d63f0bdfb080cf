"""From texts to vectors: any layer of a model, pooled, in batches, on any device; fast, and stored in files."""

from tutorial_lib.vectors.embedding import embed, pool
from tutorial_lib.vectors.layers import layer_states

__all__ = ["embed", "layer_states", "pool"]
