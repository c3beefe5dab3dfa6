"""What people really have, read into submissions: outputs, agent transcripts, logs, diffs, folders of them.

A format is a `Format` in the registry below; a package can add its own with an entry point in the
group `evenhand.transcripts`. The format of a file is found by its content, never by its name alone.
"""
