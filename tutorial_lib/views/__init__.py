"""Interactive views (heads, neurons, clouds) that need no server: in a page, Colab, JupyterLab, VS Code.

Each is one call that returns a `View`; as the last value of a cell it displays itself, and `.save(path)` writes it as a
separate page. A view's module loads when the view is first used, so a chapter depends only on its own views.
"""

from tutorial_lib import late

__getattr__, __dir__, __all__ = late(__name__, {
    "architecture": "blueprint",
    "ask": "try_it",
    "base": "View",
    "calculator": "attention_calculator",
    "cloud": "point_cloud",
    "explorables": "dot_product_explorer softmax_explorer",
    "gaze": "gaze_view",
    "heads": "head_view",
    "models": "model_view",
    "neurons": "neuron_view",
    "story": "story_view",
    "tokenizer": "tokenizer_explorer",
    "training": "training_view",
    "waves": "sinusoid_explorer",
})
