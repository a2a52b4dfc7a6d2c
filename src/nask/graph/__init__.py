"""The data model: graphs with typed attributes, their common schema, and batches of them."""
