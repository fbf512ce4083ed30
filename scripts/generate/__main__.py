"""`python -m scripts.generate`: see the package."""

from scripts.generate import ROOT, write

for file in write():
    print(file.relative_to(ROOT))  # noqa: T201
