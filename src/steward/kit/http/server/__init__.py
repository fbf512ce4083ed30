"""HTTP/1.1 over sockets: parses requests, bounds what strangers can hold, and lets what has begun finish."""
