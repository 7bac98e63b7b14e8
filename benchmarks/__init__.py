"""What the product is measured by. Not in the wheel: run from a checkout (README.md here says how)."""
