"""Every raw reading: page by page for one asset, and as a stream of many, for data warehouses."""
