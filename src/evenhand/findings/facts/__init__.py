"""Facts that several checks share: files written, commands run, what a task asks for."""
