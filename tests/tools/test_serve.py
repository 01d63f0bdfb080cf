"""The live site: what counts as a change, and what the server answers."""

import threading
import urllib.error
import urllib.request

import pytest

serve = pytest.importorskip("serve")


@pytest.fixture
def book(tmp_path):
    for name in ("book/one.md", "tutorial_lib/attention.py", "_config.yml", "book/one.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("first")
    return tmp_path


@pytest.mark.parametrize("name", ["book/one.md", "book/new.md", "tutorial_lib/attention.py", "_config.yml"])
def test_a_written_source_is_a_change(book, name):
    before = serve.sources(book)
    (book / name).write_text("second")
    (book / name).touch()
    assert serve.changed(before, serve.sources(book)) == [book / name]


def test_what_a_build_writes_is_no_change(book):
    before = serve.sources(book)
    (book / "book" / "one.ipynb").write_text("second")
    assert serve.changed(before, serve.sources(book)) == []


def test_a_file_that_went_is_a_change(book):
    before = serve.sources(book)
    (book / "book" / "one.md").unlink()
    assert serve.changed(before, serve.sources(book)) == [book / "book" / "one.md"]


def test_pages_reload_themselves_and_a_wrong_address_gets_the_404_page(tmp_path):
    (tmp_path / "page.html").write_text("<p>Here</p>")
    (tmp_path / "404.html").write_text("<p>Not here</p>")
    server = serve.open_server(tmp_path)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        page = urllib.request.urlopen(f"{address}/page.html").read().decode()
        assert "Here" in page and "/.made" in page
        assert urllib.request.urlopen(f"{address}/.made").read() == serve.Site.made.encode()
        with pytest.raises(urllib.error.HTTPError) as wrong:
            urllib.request.urlopen(f"{address}/no/such/page.html")
        with wrong.value as answer:
            assert answer.code == 404 and b"Not here" in answer.read()
    finally:
        server.shutdown()
        server.server_close()
