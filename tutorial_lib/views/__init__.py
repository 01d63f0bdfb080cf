"""Interactive views that live without a server: the same in the static page, Colab, JupyterLab and VS Code.

Each is one call that returns a `View`; as the last value of a cell it shows itself, and `.save(path)` writes it as a
page of its own.
"""

from tutorial_lib.views.ask import try_it
from tutorial_lib.views.base import View
from tutorial_lib.views.calculator import attention_calculator
from tutorial_lib.views.cloud import point_cloud
from tutorial_lib.views.explorables import dot_product_explorer, softmax_explorer
from tutorial_lib.views.heads import head_view
from tutorial_lib.views.models import model_view
from tutorial_lib.views.neurons import neuron_view
from tutorial_lib.views.search import search_view
from tutorial_lib.views.slides import slide
from tutorial_lib.views.tokenizer import tokenizer_explorer
from tutorial_lib.views.waves import sinusoid_explorer

__all__ = [
    "View",
    "attention_calculator",
    "dot_product_explorer",
    "head_view",
    "model_view",
    "neuron_view",
    "point_cloud",
    "search_view",
    "sinusoid_explorer",
    "slide",
    "softmax_explorer",
    "tokenizer_explorer",
    "try_it",
]
