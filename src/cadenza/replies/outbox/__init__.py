"""The outbox: the queue of planned posts, their preparation, and the task that sends them."""
