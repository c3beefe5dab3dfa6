"""Agent commands as judges: Claude Code, Codex and Gemini CLI, with the login they already have and no tools."""
