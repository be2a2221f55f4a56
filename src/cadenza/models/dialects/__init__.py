"""API dialects, one file each: how a prompt is written and how the stream is read. Pure."""
