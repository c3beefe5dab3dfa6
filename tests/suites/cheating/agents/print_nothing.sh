#!/bin/sh
# Does nothing and prints nothing.
exit 0
