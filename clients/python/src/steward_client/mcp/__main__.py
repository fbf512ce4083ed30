from steward_client.mcp.command import mcp

mcp(prog_name="python -m steward_client.mcp")
