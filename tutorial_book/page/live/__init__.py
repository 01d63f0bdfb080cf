"""Views that ask the model in the page about the reader's own text: one module per chapter, each with a script in js/.

Each is one call with an example. Python measures the example; if the page loads the model, the script measures the same
for the reader's text. For both, the script makes the chart and the sentence.
"""

from tutorial_lib import late

__getattr__, __dir__, __all__ = late(
    __name__,
    {
        "bert": "length_view mask_view",
        "context": "word_view",
        "directions": "lens_view",
        "embeddings": "neighbor_view",
        "evolution": "path_view",
        "gates": "census_view",
        "meaning": "difference_view pair_view",
        "positions": "order_view",
        "roles": "offset_view silence_view",
        "shape": "average_view",
    },
)
