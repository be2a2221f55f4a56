"""A reply as a film: all that people saw and all that happened inside, with its times, to be looked at back and forth.

A *film* is made by a *camera* that stands in a simulated Discord: while somebody talks with the bot there (the
playground), or while a stream is *rehearsed* in virtual time (``cadenza explain``). ``docs/films.md`` tells the format.
"""
