"""What ``cadenza doctor`` looks at: one function a check, each of which finds one sentence or a few."""
