"""The pipeline, in order: read it with ``ls``."""
