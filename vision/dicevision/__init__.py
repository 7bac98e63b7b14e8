"""Image in, dice out."""
