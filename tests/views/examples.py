"""Examples for several tests of views: random weights, a trace, a line in space, texts that would run if they could."""

import re
import shutil
from urllib.parse import urlencode

import numpy as np
import torch

from tutorial_lib.attention import attention
from tutorial_lib.views import engine

PAGE = (
    '<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8"><title>Views</title>'
    '<meta name="viewport" content="width=device-width">{}<body><main>{}</main>'
)
WITHOUT = "delete globalThis.WebAssembly;"  # in the worker: a browser that has none

# Whether a script draws this HTML, and its sentence. Full-precision values are left out: their last bit differs by
# engine.
DRAW = """([script, data, html]) => {
  const [drawn, expected] = [0, 1].map(() => document.createElement('div'));
  let said = '';
  const view = {still: true, data, picture: drawn, root: document.createElement('div'), say(text) { said = text; }};
  new Function('view', script + '; draw(view);')(view);
  expected.innerHTML = html;
  for (const one of [drawn, expected]) {
    one.normalize();
    one.querySelectorAll('[data-value]').forEach(part => part.removeAttribute('data-value'));
  }
  return [drawn.innerHTML, expected.innerHTML, drawn.isEqualNode(expected), said];
}"""
HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "a & b", '" onload="alert(3)']


def random_weights(*shape, concentration=0.3):
    return np.random.default_rng(0).dirichlet(np.full(shape[-1], concentration), shape[:-1])


def made_up_trace(n_layers, n_heads, n, d_k, mask=None, m=None):
    """The values of a model's trace, from random queries and keys, computed by the library."""
    torch.manual_seed(0)
    trace = {}
    for i in range(n_layers):
        Q = torch.randn(1, n_heads, n, d_k)
        K = torch.randn(1, n_heads, m or n, d_k)
        _, weights = attention(Q, K, K, mask)
        named = {"queries": Q, "keys": K, "weights": weights, "scores": Q @ K.mT / d_k**0.5}
        trace |= {f"layer.{i}.attention.{name}": value for name, value in named.items()}
    return trace


def helix(n):
    t = np.linspace(0, 40, n)
    return np.stack([np.cos(t), np.sin(t), t / 8], axis=1)


def slide_to(root, label, value):
    """Move a range input as a pointer would."""
    root.get_by_label(label).evaluate(
        "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }", value
    )


def type_number(tab, box, text):
    """As readers do it: go to the field, select its content, type."""
    box.click()
    tab.keyboard.press("Control+A")
    tab.keyboard.type(text) if text else tab.keyboard.press("Delete")


def write_pages(folder, pages):
    """A folder as `make book` leaves it in _static/live, without models, and pages in it: name -> what they show."""
    engine.write_worker(folder)
    shutil.copy(engine.HERE / "page.js", folder)
    for name, content in pages.items():
        page = PAGE.format('<script src="page.js"></script>', content)
        (folder / f"{name}.html").write_text(page, encoding="utf-8")


def take_from_worker(tab, code):
    """Run this code in the page's worker before anything else."""
    source = "{ set(source) { this.text = code + source; }, get() { return this.text; } }"
    tab.evaluate(f"code => Object.defineProperty(tutorialLib, 'source', {source})", code)


def assert_drawn(tab, view):
    """A view's first picture is, node by node, what its script draws in the browser."""
    drawn, expected, equal, said = tab.evaluate(DRAW, [view._script, view.data, view.default])
    assert equal, (drawn, expected)
    assert said == view.say


def ask(root, *texts):
    """Type texts into a view's boxes, press Show, and wait until they are shown."""
    for box, text in zip(root.locator(".tl-live input[type=text]").all(), texts, strict=True):
        box.fill(text)
    root.get_by_role("button", name="Show", exact=True).click()
    names = [f"text{i}" if i > 1 else "text" for i in range(1, len(texts) + 1)]
    root.locator(f'.tl-live a[href$="{urlencode(list(zip(names, texts)))}"]').wait_for()


def words_and_numbers(text):
    """A text with # for each number, and the numbers."""
    number = r"-?(?:\d[\d,]*)?\.?\d+(?:e-\d+)?"
    text = " ".join(text.replace("−", "-").split())
    return re.sub(number, "#", text), [float(found.replace(",", "")) for found in re.findall(number, text)]


def alike(said, expected, share=0.06, least=0.03):
    """The same words, and numbers that rounding moves by little."""
    (words, numbers), (expected_words, expected_numbers) = map(words_and_numbers, (said, expected))
    return words == expected_words and np.allclose(numbers, expected_numbers, rtol=share, atol=least)
