"""Files that survive a kill and a full disk: replaced whole, or grown line by line."""
