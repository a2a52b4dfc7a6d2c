"""What a dataset holds, column by column, and what looks wrong in it: data first, then text."""
