"""`steward-client`, and `python -m steward_client`: the command line, if what it needs is there."""

import sys

EXTRA = {"click", "rich"}


def main() -> None:
    try:
        from .cli import main as command  # noqa: PLC0415  what it needs comes with an extra
    except ModuleNotFoundError as error:
        if error.name not in EXTRA:
            raise
        sys.exit(f"The command line needs {error.name}: pip install './clients/python[cli]' in a checkout")
    command()


if __name__ == "__main__":
    main()
