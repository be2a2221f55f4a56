"""Pure tools for text: they know Discord's Markdown and nothing else."""
