"""HTTP/1.1 over sockets: parses requests, bounds what unknown callers can hold, and drains gracefully."""
