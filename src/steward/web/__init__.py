"""The web app and the API reference: pages rendered on the server, for browsers without any script of ours."""
