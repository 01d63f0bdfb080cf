"""Interactive views (heads, neurons, clouds) that live without a server: in a page, Colab, JupyterLab, VS Code.

Each is one call that returns a `View`; as the last value of a cell it shows itself, and `.save(path)` writes it as a
page of its own. A view's module loads when the view is first named, so that a chapter depends on those that it shows.
"""

from importlib import import_module

_MODULES = {
    "View": "base",
    "attention_calculator": "calculator",
    "blueprint": "architecture",
    "dot_product_explorer": "explorables",
    "forward_pass": "machine",
    "head_view": "heads",
    "model_view": "models",
    "neuron_view": "neurons",
    "point_cloud": "cloud",
    "sinusoid_explorer": "waves",
    "softmax_explorer": "explorables",
    "tokenizer_explorer": "tokenizer",
    "try_it": "ask",
}
__all__ = list(_MODULES)


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__():
    return sorted({*globals(), *_MODULES})
