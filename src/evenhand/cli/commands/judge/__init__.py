"""Commands to judge: from outputs and written judgements to scorecards."""
