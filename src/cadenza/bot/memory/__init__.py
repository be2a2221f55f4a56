"""What a bot remembers of people and places, for as long as it may."""
