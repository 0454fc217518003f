"""Pictures of a sweep: which measure is shown, over which axis."""
