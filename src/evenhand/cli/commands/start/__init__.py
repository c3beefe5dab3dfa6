"""Commands to use it elsewhere: in projects, in agents, over MCP."""
