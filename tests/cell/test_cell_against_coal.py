"""A whole cell against Pinocchio and Coal: the pairs of links of real robots at random q."""

import coal
import numpy as np
import pinocchio as pin
import pytest

import standoff as so
from tests.worlds.robot_files import EXAMPLES, example

#: Coal's own GJK and mesh distances are right to about this, [m].
TOLERANCE = 2e-6

#: A cylinder with a sphere at each end is read as one capsule that holds all three; where the file
#: writes a quarter turn as 1.57, that makes it larger by up to this, [m].
GROWN = {"panda_collision": 1e-4}


def coal_distances(urdf, q_of):
    """Smallest distance of each pair of links with geometry, by Pinocchio and Coal."""
    share = str(urdf.parents[4])
    model = pin.buildModelFromUrdf(str(urdf))
    geometry = pin.buildGeomFromUrdf(
        model, str(urdf), pin.GeometryType.COLLISION, package_dirs=[share]
    )
    q = pin.neutral(model)
    for name, value in q_of.items():
        joint = model.joints[model.getJointId(name)]
        if joint.nq == 2:
            q[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
        else:
            q[joint.idx_q] = value
    data, geometry_data = model.createData(), geometry.createData()
    pin.updateGeometryPlacements(model, data, geometry, geometry_data, q)
    request, result = coal.DistanceRequest(True, True), coal.DistanceResult()
    found = {}
    objects = [
        (model.frames[o.parentFrame].name, o.geometry, geometry_data.oMg[i])
        for i, o in enumerate(geometry.geometryObjects)
    ]
    for i, (a, shape_a, pose_a) in enumerate(objects):
        for b, shape_b, pose_b in objects[i + 1 :]:
            result.clear()
            value = coal.distance(
                shape_a,
                coal.Transform3s(pose_a.rotation, pose_a.translation),
                shape_b,
                coal.Transform3s(pose_b.rotation, pose_b.translation),
                request,
                result,
            )
            key = tuple(sorted((a, b)))
            found[key] = min(found.get(key, np.inf), value)
    return found


@pytest.mark.parametrize("robot", ["panda", "ur5", "panda_collision"])
@pytest.mark.parametrize("geometry", ["auto", "mesh"])
def test_pairs_of_links_are_as_far_apart_as_coal_says(robot, geometry):
    urdf = example(EXAMPLES[robot])
    cell = so.Cell()
    cell.add_robot(urdf, name="r", geometry=geometry)
    rng = np.random.default_rng(5)
    model = cell.model
    parts = dict(zip(model.names, model.parts, strict=True))
    compared = 0
    for _ in range(12):
        lower, upper = np.maximum(cell.tree.lower, -3), np.minimum(cell.tree.upper, 3)
        q = rng.uniform(lower, upper)
        values = {n.removeprefix("r/"): v for n, v in zip(cell.joints, q, strict=True)}
        for joint in cell.robots["r"].robot.joints.values():
            if joint.mimic:
                master = values[joint.mimic.joint]
                values[joint.name] = joint.mimic.multiplier * master + joint.mimic.offset
        theirs = coal_distances(urdf, values)
        frames = cell.tree.forward(q)
        for a, b in cell.pairs.watched():
            theirs_value = theirs[tuple(sorted((a.removeprefix("r/"), b.removeprefix("r/"))))]
            ours = min(
                so.distance(
                    shape_a,
                    frames[model.frame_of(a)] @ local_a,
                    shape_b,
                    frames[model.frame_of(b)] @ local_b,
                ).distance
                for shape_a, local_a in parts[a]
                for shape_b, local_b in parts[b]
            )
            if theirs_value > TOLERANCE:
                less = theirs_value - ours
                assert -TOLERANCE < less < TOLERANCE + 2 * GROWN.get(robot, 0.0), (a, b, q.tolist())
                compared += 1
            else:
                assert ours <= TOLERANCE, (a, b, q.tolist())
    assert compared > 100


def test_capsules_are_never_farther_than_the_meshes_they_cover():
    urdf = example(EXAMPLES["panda"])
    fine, coarse = so.Cell(), so.Cell()
    fine.add_robot(urdf, name="r", geometry="mesh")
    coarse.add_robot(urdf, name="r", geometry="capsules")
    probe = so.Sphere(0.02)
    rng = np.random.default_rng(6)
    for name in fine.model.names:
        fine_parts = fine.model.parts[fine.model.index[name]]
        coarse_parts = coarse.model.parts[coarse.model.index[name]]
        for _ in range(50):
            at = so.pose(rng.uniform(-0.4, 0.4, 3))
            exact = min(so.distance(s, p, probe, at).distance for s, p in fine_parts)
            bound = min(so.distance(s, p, probe, at).distance for s, p in coarse_parts)
            assert bound <= exact + 1e-9 or (bound <= 0 and exact <= 0)
