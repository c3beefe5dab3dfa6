"""Read the score a judge states in prose: its own words, the statements in them, the decision.

`folding` makes spellings alike, `quoted` takes out what others said, `markup` takes out decoration,
`numbers` finds figures with their scale, `context` says what the words around a figure make of it,
`statements` joins the two, and `reader` decides. `words` holds the tables of every language.
"""
