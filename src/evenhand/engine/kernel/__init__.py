"""The methodology over arrays in memory: a fast path for tables that fit, tested against the plan in SQL.

`normal` turns columns into whole hundredths and finds the rows that cannot be scored; `scores`, `order` and
`windows` are the three stages after it; `table` combines them for a table or a stream of batches.
"""
