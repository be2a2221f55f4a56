"""Why a message is as it is: the trace of a reply, and its story in words."""
