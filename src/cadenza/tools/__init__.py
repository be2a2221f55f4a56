"""Tools: functions that a model may call. Start with ``tool.py`` and ``functions.py``."""
