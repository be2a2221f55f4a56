"""Places to deliver to, one file each."""
