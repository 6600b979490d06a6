"""How far bodies get while their joints move, and the inequality that calls a motion free."""
