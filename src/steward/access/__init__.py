"""The gate that every request passes: who is calling, and may they?"""
