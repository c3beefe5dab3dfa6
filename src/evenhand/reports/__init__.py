"""Reports: first what to show, then renderers that only lay it out."""
