"""From texts to vectors, layer by layer, in batches."""
