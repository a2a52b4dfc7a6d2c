"""Files that survive a kill and a full disk: replaced whole, grown line by line or by chunks."""
