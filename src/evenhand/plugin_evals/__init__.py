"""Results of `claude plugin eval`: read where they lie, recounted, and laid out as a table that can be decided."""
