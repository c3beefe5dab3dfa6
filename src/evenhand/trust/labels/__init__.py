"""People's labels and reviews: read from tables, joined to evaluations, kept in a store."""
