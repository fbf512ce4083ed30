"""Every reading as it came: page by page of one asset, and as a stream of many, for data warehouses."""
