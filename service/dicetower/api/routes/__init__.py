"""One router a resource; `shared` has what they have in common."""
