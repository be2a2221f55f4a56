"""Tools: what a model may have run. One file a matter; ``tool.py`` says what a tool is."""
