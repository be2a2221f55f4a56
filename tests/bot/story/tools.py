"""The tools of the story."""


def weather(place: str) -> str:
    """What the sky will be like at a place."""
    return f"{place}, clear from 22:00"
