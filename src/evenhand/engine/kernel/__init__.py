"""The methodology over arrays in memory: the quick way for a table that fits, proved equal to the plan in SQL.

`normal` turns columns into whole hundredths and finds the rows that cannot be scored; `scores`, `order` and
`windows` are the three stages after it; `table` puts them together for a table or for a stream of batches.
"""
