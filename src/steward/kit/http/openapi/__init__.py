"""The OpenAPI document, made from the routes."""
