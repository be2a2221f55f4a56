"""Films of replies: what people saw and what happened inside, with times, to be played back and forth.

A *camera* records a simulated Discord: while a user talks with the bot (the playground), or while a stream is *rehearsed*
in virtual time (``cadenza explain``). ``docs/films.md`` describes the format.
"""
