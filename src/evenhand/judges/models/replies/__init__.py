"""Read a model's reply, JSON or one line, into scores with reasons and quotes."""
