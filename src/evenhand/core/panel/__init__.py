"""Several judgements to one, how far the judges agree, and how sure the grade is."""
