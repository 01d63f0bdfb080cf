"""The parts of the site: none imports one above it, and no two modules import each other."""

import graphlib

import pytest

# From what uses others to what others use.
LAYERS = ["website.__main__", "website.serve", "website.book", "website.publish | website.pdf | website.slides",
          "website.notebooks", "website.directives", "website.build", "website.origin | website.package_map",
          "website.project"]  # fmt: skip


@pytest.fixture(scope="module")
def graph():
    return pytest.importorskip("grimp").build_graph("website")


def test_every_part_imports_only_from_parts_below(graph):
    layers = [set(layer.split(" | ")) for layer in LAYERS]
    parts = {name for name in graph.modules if name.count(".") == 1}
    assert set().union(*layers) == parts
    wrong = graph.find_illegal_dependencies_for_layers(layers=layers)
    assert [f"{each.importer} must not import {each.imported}" for each in wrong] == []


def test_no_two_modules_import_each_other(graph):
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    graphlib.TopologicalSorter({name: others - {name} for name, others in imports.items()}).prepare()
