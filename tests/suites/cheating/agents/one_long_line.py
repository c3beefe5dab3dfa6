#!/usr/bin/env python3
"""Prints brackets nested a hundred thousand deep on one line, to slow whoever parses them."""

print("[" * 100_000 + '{"a":' * 10_000 + "(" * 50_000 + "a" * 50_000 + "!")
