"""A Model Context Protocol server: lets an assistant search, read and act with an API key's own permissions.

Its tools are made from the service's own `/openapi.json`, so they always fit the service that it talks to.
"""
