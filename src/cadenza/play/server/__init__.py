"""The playground: a Discord of one's own in the browser, with the real bot in it. ``cadenza play`` opens it."""
