"""Characters: who a bot can be, where they come from, and the cards on which they travel."""
