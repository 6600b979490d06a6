"""Which bodies may touch: the N-objects octree and the grid, on flat tables."""
