"""The ways others read dice, written again from their published descriptions, to be run beside ours."""
