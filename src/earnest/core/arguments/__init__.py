"""The arguments of the verbs, each declared once: for Python, the command line and messages.

A verb has one frozen dataclass. A field has the name of the argument in Python; the option of the
command line is that name with dashes. Its help and its limits stand in the annotation, see
`earnest.core.arguments.base.Argument`.
"""
