"""The catalogue of cautions: what each code means, and the words of each kind.

A module holds the kinds of one area. A kind is a function: its parameters are the facts, and it
writes from them what was seen, what follows and what to do. Called with the facts it makes a
`Caution`. `meanings` holds what each code means, which the page on cautions is written from.
"""
