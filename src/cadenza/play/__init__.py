"""The playground: films of replies, the server, and the page."""
