"""What a model is shown and asked."""
