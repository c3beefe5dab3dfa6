"""What a model answered: JSON or prose, to scores with reasons and quotes."""
