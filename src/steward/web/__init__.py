"""The web app and the API reference: pages rendered on the server, which work without script as far as that makes sense."""
