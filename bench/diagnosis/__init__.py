"""What lexical selection chooses, judged by references."""
