from vfnb.spec import Layout, Mapping, Stage


def test_a_stage_is_said_in_devices_and_virtual_nodes() -> None:
    mapping = Mapping(Layout(4000, 4), ((3, (0, 1, 2)), (7, (3,))))

    assert str(Stage(step=5, at=1.0, devices=("cuda:0", "cpu:1"), mapping=mapping)) == "cuda:0: 3,000, cpu:1: 1,000"
