import pytest
import torch

from vfnb.numerics import GridSum, IntGridSum, OrderFreeSum, grid_step, order_free_sum

FORMS = [GridSum, IntGridSum]
SHAPES = [(3,), (200, 30), (), (0,), (70_001,), (16, 8, 3, 3), (5,)]


def grads() -> list[torch.Tensor]:
    return [torch.randn(shape) for shape in SHAPES]


def begun(form: type[GridSum] | type[IntGridSum], contributions: int = 8) -> GridSum | IntGridSum:
    grid = form(SHAPES, contributions)
    grid.begin_([8] * len(SHAPES))
    return grid


@pytest.mark.parametrize("form", FORMS)
def test_both_forms_keep_the_contract(form: type[GridSum] | type[IntGridSum]) -> None:
    assert isinstance(form([(2,)], 1), OrderFreeSum)


@pytest.mark.parametrize("form", FORMS)
def test_a_sum_is_the_sum_within_the_bound(form: type[GridSum] | type[IntGridSum]) -> None:
    grid = begun(form)
    contributions = [grads() for _ in range(8)]

    for one in contributions:
        grid.add_all_(one)

    for index, shape in enumerate(SHAPES):
        exact = torch.stack([one[index].double() for one in contributions]).sum(0)
        assert grid.sum_of(index).shape == shape
        assert ((grid.sum_of(index) - exact).abs() <= 8 * grid_step(8, 8) / 2 + 1e-15).all()


@pytest.mark.parametrize("form", FORMS)
def test_all_at_once_and_one_by_one_and_other_chunks_give_equal_bits(
    form: type[GridSum] | type[IntGridSum],
) -> None:
    together, singly, chunked = begun(form), begun(form), form(SHAPES, 8, chunk=1000)
    chunked.begin_([8] * len(SHAPES))
    one = grads()

    together.add_all_(one, 0.25)
    chunked.add_all_(one, 0.25)
    for index, grad in enumerate(one):
        singly.add_(index, grad, 0.25)

    assert torch.equal(together.flat, singly.flat)
    assert torch.equal(together.flat, chunked.flat)


@pytest.mark.parametrize("form", FORMS)
def test_none_adds_nothing_and_its_neighbours_are_added(form: type[GridSum] | type[IntGridSum]) -> None:
    grid = begun(form)
    some: list[torch.Tensor | None] = list(grads())
    some[0] = some[4] = None

    grid.add_all_(some)

    for index, grad in enumerate(some):
        assert bool((grid.sum_of(index) != 0).all()) == (grad is not None)


@pytest.mark.parametrize("form", FORMS)
def test_strides_do_not_matter(form: type[GridSum] | type[IntGridSum]) -> None:
    shapes = [(64, 32, 3, 3), (4, 3, 5, 5)]
    plain, strided = form(shapes, 1, chunk=1000), form(shapes, 1, chunk=1000)
    for grid in (plain, strided):
        grid.begin_([4, 4])
    one = [torch.randn(shape) for shape in shapes]
    other = [grad.contiguous(memory_format=torch.channels_last) for grad in one]
    outs = [torch.empty_like(grad) for grad in other]

    plain.add_all_(one)
    strided.add_all_(other)
    strided.means_into(outs, 1.0)

    assert torch.equal(plain.flat, strided.flat)
    assert all(not out.is_contiguous() for out in outs)
    assert all(torch.allclose(out, grad) for out, grad in zip(outs, one, strict=True))


@pytest.mark.parametrize("form", FORMS)
def test_the_squared_norm_comes_with_the_sum(form: type[GridSum] | type[IntGridSum]) -> None:
    grid, plain = begun(form), begun(form)
    one: list[torch.Tensor | None] = list(grads())
    one[1] = None

    found = grid.add_all_with_sqnorm_(one, 0.5)
    plain.add_all_(one, 0.5)

    expected = sum(float((grad.double() * 0.5).square().sum()) for grad in one if grad is not None)
    assert float(found) == pytest.approx(expected, rel=1e-5)
    assert torch.equal(grid.flat, plain.flat)


@pytest.mark.parametrize("form", FORMS)
def test_nothing_has_no_norm(form: type[GridSum] | type[IntGridSum]) -> None:
    assert float(begun(form).add_all_with_sqnorm_([None] * len(SHAPES))) == 0.0


@pytest.mark.parametrize("form", FORMS)
def test_the_mean_is_divided_once_in_fp64(form: type[GridSum] | type[IntGridSum]) -> None:
    grid = begun(form)
    one = grads()
    grid.add_all_(one)
    outs: list[torch.Tensor | None] = [torch.full(shape, 9.0) for shape in SHAPES]
    outs[2] = None
    single = torch.empty(SHAPES[4])

    grid.means_into(outs, 3.0)
    grid.mean_into(4, single, 3.0)

    for index, out in enumerate(outs):
        if out is not None:
            assert torch.equal(out, (grid.sum_of(index) / 3.0).float())
    assert torch.equal(single, outs[4])


def test_means_go_into_parameters() -> None:
    grid = begun(GridSum)
    parameters = [torch.nn.Parameter(torch.zeros(shape)) for shape in SHAPES]
    grid.add_all_(grads())

    grid.means_into(parameters, 2.0)

    assert parameters[1].detach().abs().sum() > 0


@pytest.mark.parametrize("form", FORMS)
def test_a_step_begins_at_zero_and_with_its_own_grids(form: type[GridSum] | type[IntGridSum]) -> None:
    grid, fresh = begun(form), form(SHAPES, 8)
    one = grads()
    grid.add_all_(one)

    exponents = torch.arange(5, 5 + len(SHAPES), dtype=torch.int32)
    grid.begin_(exponents)
    fresh.begin_(exponents.tolist())
    grid.add_all_(one)
    fresh.add_all_(one)

    assert torch.equal(grid.flat, fresh.flat)
    grid.zero_()
    assert not grid.flat.any()


@pytest.mark.parametrize("form", FORMS)
def test_several_sums_share_one_storage(form: type[GridSum] | type[IntGridSum]) -> None:
    flat = torch.zeros(10, dtype=torch.float64 if form is GridSum else torch.int64)
    first, second = form([(4,)], 1, flat=flat[:4]), form([(2, 3)], 1, flat=flat[4:])
    for grid in (first, second):
        grid.begin_([3])

    second.add_(0, torch.ones(2, 3))

    assert flat.count_nonzero() == 6


@pytest.mark.parametrize("form", FORMS)
def test_a_scale_that_is_no_power_of_two_is_our_own_fault(form: type[GridSum] | type[IntGridSum]) -> None:
    with pytest.raises(AssertionError, match="power of two"):
        begun(form).add_(0, torch.ones(3), 0.3)


def test_each_tensor_may_have_its_own_count() -> None:
    grid = GridSum([(1,), (1,)], [1, 1024])
    grid.begin_([0, 0])

    grid.add_all_([torch.full((1,), 1 + 2.0**-20)] * 2)
    fine, coarse = grid.sum_of(0).item(), grid.sum_of(1).item()

    assert fine == coarse == 1 + 2.0**-20
    assert grid_step(0, 1024) == 1024 * grid_step(0, 1)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_floating_types_are_rounded_to_the_same_grid(dtype: torch.dtype) -> None:
    one = torch.randn(50, dtype=dtype)
    grid, wide = GridSum([(50,)], 1), GridSum([(50,)], 1)
    for each in (grid, wide):
        each.begin_([4])

    grid.add_(0, one)
    wide.add_(0, one.double())

    assert torch.equal(grid.flat, wide.flat)


def test_the_cpu_gets_fp64() -> None:
    assert isinstance(order_free_sum([(2,)], 1), GridSum)
