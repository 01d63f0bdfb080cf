"""A view in a real browser without a network; requests or complaints fail the test."""

import pytest

from tests.accessible import audit
from tests.views.examples import PAGE

DARK = "#16181c"


class Tabs:
    """Opens pages, each in a separate context, and collects their complaints."""

    def __init__(self, browser, complaints, folder, allowed=("file:",)):
        self.browser, self.complaints, self.folder, self.allowed = browser, complaints, folder, allowed
        self.contexts = []

    def open(self, address, width=1280, **options):
        context = self.browser.new_context(viewport={"width": width, "height": 900}, offline=True, **options)
        self.contexts.append(context)
        context.set_default_timeout(60_000)
        tab = context.new_page()
        tell = self.complaints.append
        tab.on("request", lambda r: r.url.startswith(self.allowed) or tell(f"asked for {r.url}"))
        tab.on("console", lambda m: m.type in ("error", "warning") and tell(m.text))
        tab.on("pageerror", lambda e: tell(str(e)))
        tab.on("dialog", lambda d: (tell(f"ran a script: {d.message}"), d.dismiss()))
        tab.goto(address)
        return tab

    def open_view(self, *views, width=1280, javascript=True, **options):
        """A tab that shows these views, from a file."""
        page = self.folder / f"{len(self.contexts)}.html"
        content = "".join(view._repr_html_() for view in views)
        page.write_text(PAGE.format("", content), encoding="utf-8")
        return self.open(page.as_uri(), width, java_script_enabled=javascript, **options)

    def close(self):
        for context in self.contexts:
            context.close()


@pytest.fixture(scope="module")
def complaints():
    return []


@pytest.fixture(autouse=True)
def no_complaints(complaints):
    """A complaint of a page fails the test that was running, whether or not the page is shared."""
    yield
    found = [each for each in complaints if "ERR_FILE_NOT_FOUND" not in each]  # a test hides a file
    complaints.clear()
    assert found == []


@pytest.fixture
def tabs(browser, complaints, tmp_path):
    tabs = Tabs(browser, complaints, tmp_path)
    yield tabs
    tabs.close()


@pytest.fixture
def open_view(tabs):
    """Call it with one or more views to get a tab that shows them."""
    return tabs.open_view


@pytest.fixture(scope="module")
def live_tabs(browser, complaints, tmp_path_factory):
    """Tabs that may load files and blobs, shared by the tests of a file: a model is loaded once for all."""
    tabs = Tabs(browser, complaints, tmp_path_factory.mktemp("live"), ("file:", "blob:"))
    yield lambda address: tabs.open(address, reduced_motion="reduce")
    tabs.close()


def turn(tab, theme):
    tab.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    tab.evaluate(f"document.documentElement.style.background = '{DARK if theme == 'dark' else ''}'")


@pytest.fixture
def assert_accessible(open_view):
    """Call it with views: axe finds nothing and nothing is too wide, in light and dark, at 1280 and 390 pixels."""

    def check(*views):
        tab = open_view(*views)
        tab.add_style_tag(content="* { transition: none !important; }")  # or colors are measured during one
        problems = list(audit(tab, [".tl-view"], turn=turn))
        assert not problems, "\n".join(problems)

    return check
