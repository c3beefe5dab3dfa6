"""The order of an evaluation, and the Python API. The only room that knows the others.

document -> judgement -> rubric -> quotes checked -> settled -> scored -> compared with history -> kept
"""
