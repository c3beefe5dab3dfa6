#!/bin/sh
# Repeats its prompt.
printf '%s\n' "$1"
