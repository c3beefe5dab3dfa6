"""The built-in providers, one file each, found by listing this folder. A file's name is the provider's, and its
`PROVIDER` says everything about it that others need to know."""
