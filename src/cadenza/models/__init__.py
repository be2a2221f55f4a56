"""Models, one file an API dialect: how a prompt is written down and how its stream is read."""
