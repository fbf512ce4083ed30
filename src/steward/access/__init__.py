"""The gate that every request passes: authentication and permission."""
