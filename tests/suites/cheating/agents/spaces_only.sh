#!/bin/sh
# Prints white space and invisible characters only.
printf ' \t\n\342\200\213\302\240\n\n'
