"""Reports as HTML: each page as one self-contained file, and its body alone for a page of the dashboard."""
