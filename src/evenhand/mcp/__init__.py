"""The MCP server: judging and its results as tools for an agent, over standard input and output or loopback HTTP."""
