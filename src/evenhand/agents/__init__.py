"""evenhand inside other agents: the skills and the plug-in shipped with it, where they go, and the Stop hook."""
