from scripts.client.output import ROOT, write

for file in write():
    print(file.relative_to(ROOT))  # noqa: T201
