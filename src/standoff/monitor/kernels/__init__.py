"""The safety cycle on flat tables: kinematics, buffers, index, tests, in one compiled call."""
