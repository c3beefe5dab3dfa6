"""evenhand."""
