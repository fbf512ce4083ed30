"""The documentation site: `python -m scripts.site build` and `python -m scripts.site serve`."""
