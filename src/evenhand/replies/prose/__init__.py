"""Read the score a judge states in prose: its own words, the statements in them, the decision.

`folding` normalises spelling, `quoted` removes quotations, `markup` removes decoration, `figures` finds numbers with
their scale, `labels`, `phrases`, `guards`, `parts` and `scales` interpret the words around a figure, `statements`
combines the two, and `reader` decides. `words` holds the word tables of every language.
"""
