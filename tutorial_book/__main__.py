"""The command line: `python -m tutorial_book claims | measure | train`."""

import argparse
import sys

from tutorial_lib.__main__ import add_train, run_command, train


def main(arguments=None) -> int:
    """Run one command and return its exit code, 0 on success."""
    parser = argparse.ArgumentParser(prog="python -m tutorial_book", description="The book's own numbers and models.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    claims_of = commands.add_parser(
        "claims", help="recompute every number that the documents print; fails if a verdict changed"
    )
    claims_of.add_argument(
        "--inventory",
        action="store_true",
        help="print for each document how many of its items have a claim or a verdict, and fail if an item has neither "
        "these nor a reason. Items are printed numbers, tables, lists, formulas and sentences that could be false; "
        "definitions, opinions and drawings do not count. An item with only a reason counts as unclaimed; an item "
        "whose claim needs a missing model counts as claimed. Each line ends with how many can be checked here",
    )
    measured = commands.add_parser("measure", help="repeat a measurement too long for a page; without NAME, list them")
    measured.add_argument("name", nargs="?", metavar="NAME")
    measured.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program")
    add_train(commands, "book-virus (a minute) or book-virus-frames (three)")
    return run_command(parser.parse_args(arguments), {"claims": claims, "measure": _measure, "train": _train})


def claims(options) -> int:
    """Print every claim with its verdict, or each document's coverage; return 0 if all are in order."""
    from tutorial_book.claims import report, report_coverage

    return report_coverage() if options.inventory else report()


def _measure(options) -> int:
    from tutorial_book import stored_numbers as measure

    return measure.run(options.name, options.arguments)


def _train(options) -> int:
    from tutorial_book.experiments.virus.recipe import VIRUSES

    return train(VIRUSES, options, "tutorial_book")


if __name__ == "__main__":
    sys.exit(main())
