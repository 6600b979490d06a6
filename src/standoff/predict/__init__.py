"""What can touch soon: earliest times of contact of bodies whose speeds and accelerations are
bounded.
"""
