"""Characters: the personas of a bot, their storage, and character cards."""
