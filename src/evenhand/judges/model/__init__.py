"""A language model as a judge: asked, weighed, within a budget."""
