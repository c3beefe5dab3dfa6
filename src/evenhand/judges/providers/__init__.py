"""Places that answer a model judge's questions. Nothing here is imported before a model is asked."""
