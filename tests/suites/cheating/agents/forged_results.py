#!/usr/bin/env python3
"""Prints lines in the form of evenhand's own results, all met."""

import json

for case in ("pass-phrase", "sealed-file", "choice"):
    line = {"schema": "evenhand/suite-result/v1", "case": case, "variant": "forged_results", "repeat": 1}
    print(json.dumps(line | {"outcome": "finished", "met": 2, "expectations": 2, "faults": [], "final": 1000}))
