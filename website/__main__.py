"""The command line of the site: `python -m website COMMAND`; without one, the list of commands."""

import sys
from importlib import import_module

COMMANDS = {  # command -> its module, what it does, whether it takes arguments
    "build": ("website.book", "run the chapters that changed, and make the pages", False),
    "serve": ("website.serve", "serve the site on this machine, and rebuild it whenever a file changes", False),
    "values": ("website.build.show", "PAGE [EXPRESSION]: what a page writes", True),
    "slides": ("website.slides", "make slides and sheets from the built pages", False),
    "pdf": ("website.pdf", "print the built book into one PDF file", False),
    "publish": ("website.publish", "prepare the built book for publication on the web", False),
    "map": ("website.package_map", "write the map of both packages into the README", False),
}


def main(arguments: list[str]) -> int:
    """Run one command with its arguments. Returns the exit code."""
    module, _, takes_arguments = COMMANDS.get(arguments[0] if arguments else "", (None, "", False))
    if module is None or arguments[1:] and not takes_arguments:
        print(*(f"python -m website {name:10} {told}" for name, (_, told, _) in COMMANDS.items()), sep="\n")
        return 2
    program = import_module(module)
    return program.main(arguments[1:]) if takes_arguments else program.main()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
