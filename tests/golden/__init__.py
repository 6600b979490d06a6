"""What the engines answer on seeded worlds, written down: a change of shape changes no answer.

    python -m tests.golden compare               # all of it, against golden.npz
    python -m tests.golden compare plans paths   # some of it
    python -m tests.golden record                # write golden.npz anew

An answer is a label (kinds, pairs, names: all that is not a number) and its numbers. Labels must be
equal. Numbers must be equal bit for bit; where a sum is taken in another order they may differ by
`store.CLOSE`, and `compare` says where.
"""
