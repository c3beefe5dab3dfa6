"""A language model as a judge: ask it, weigh its answers, stay within a budget."""
