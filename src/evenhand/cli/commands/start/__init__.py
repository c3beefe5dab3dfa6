"""Commands to start with: a tour, files for a project, the documentation."""
