"""What turns a Gram matrix, or rows of features, into a decision."""
