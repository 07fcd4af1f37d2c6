"""What the model can do, over one Operations protocol."""
