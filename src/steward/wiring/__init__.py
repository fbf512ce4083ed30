"""Opens pools and clients and puts the parts together; the only room that knows everything."""
