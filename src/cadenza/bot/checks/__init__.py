"""The checks of ``cadenza doctor``: one function each, which returns findings."""
