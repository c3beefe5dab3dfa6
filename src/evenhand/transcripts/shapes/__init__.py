"""What formats are made of: messages, content, calls, as tools write them."""
