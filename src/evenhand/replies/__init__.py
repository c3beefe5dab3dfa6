"""Read a model's reply, JSON or prose, into scores with reasons and quotes."""
