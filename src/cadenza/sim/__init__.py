"""A Discord of our own: its state and laws in memory, its REST and gateway on loopback, and whatever can go wrong."""
