"""Long texts on a page: marked, rendered, highlighted, compared word by word."""
