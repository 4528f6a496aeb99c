"""Predicting a run on its target: memory, time and bill put together."""

from collections.abc import Mapping

from vfnb.ground import SpecError
from vfnb.planning.target.allreduce import network_of
from vfnb.planning.target.bill import Length, Rates, bill_of
from vfnb.planning.target.card import Estimate
from vfnb.planning.target.known import known
from vfnb.planning.target.memory import memory_of, room_of
from vfnb.planning.target.roofline import precision_for
from vfnb.planning.target.steptime import batch_of, step_seconds
from vfnb.planning.target.workload import Workload
from vfnb.spec import Accelerator, VirtualCluster


def forecast(
    workload: Workload,
    cluster: VirtualCluster,
    *,
    length: Length | None,
    measured: Mapping[VirtualCluster, float],
    rates: Rates,
    remarks: tuple[str, ...] = (),
) -> Estimate:
    """Predict a run on its target.

    Args:
        workload: What a pass of the model asks, in the precision of the run.
        cluster: The target.
        length: How long the run is; None where it is not known.
        measured: Seconds a step that were measured, by the cluster they were measured on.
        rates: What overrides the catalogue's price and power.
        remarks: What was assumed so far.

    Returns:
        The estimate.

    Raises:
        SpecError: If a cluster names no kind, or a measured step is not possible.
    """
    row = named(cluster)
    for at, seconds in measured.items():
        named(at)
        if not seconds > 0:
            raise SpecError(f"a measured step of {seconds} s on {at} is not possible; give seconds above 0")
    step = step_seconds(workload, cluster, measured)
    network = network_of(row, cluster.count)
    return Estimate(
        model=workload.name,
        target=cluster,
        unit=row.unit,
        precision=workload.precision,
        parameters=workload.parameters,
        flops_per_sample=workload.flops_per_sample,
        batch_per_device=batch_of(cluster),
        memory=memory_of(workload, room_of(row, cluster.count), batch_of(cluster)),
        step_seconds=step,
        measured=tuple(measured.items()),
        network=network.name,
        bill=None if length is None else bill_of(cluster, row, step, length, rates),
        workload=workload,
        length=length,
        remarks=tuple(one for one in (*_unit(row), *remarks, *workload.remarks, network.remark) if one),
    )


def estimate_known(  # noqa: PLR0913  # what is asked, and what overrides the catalogue
    model: str,
    cluster: VirtualCluster,
    *,
    steps: int | None = None,
    sequence: int | None = None,
    precision: str | None = None,
    measured: Mapping[VirtualCluster, float] | None = None,
    price_usd_per_hour: float | None = None,
    watts: float | None = None,
) -> Estimate:
    """Estimate the run of a model that is known by name; torch is not needed.

    Args:
        model: Its name, such as "resnet50" or "bert-large".
        cluster: The target, of a named kind.
        steps: Of the run; None takes the length that papers train the model for.
        sequence: Tokens a sample; None for 128.
        precision: "fp32", "tf32", "fp16" or "bf16"; None takes what the target is usually trained in.
        measured: Seconds a step by the cluster they were measured on.
        price_usd_per_hour: Of one device; None takes the catalogue's.
        watts: Of one device; None takes the catalogue's.

    Returns:
        The estimate.
    """
    chosen, remark = precision_for(named(cluster), precision)
    workload = known(model, chosen, sequence=sequence)
    return forecast(
        workload,
        cluster,
        length=Length(steps=steps) if steps is not None else _usual_length(workload, cluster),
        measured=measured or {},
        rates=Rates(price_usd=price_usd_per_hour, watts=watts),
        remarks=(remark,),
    )


def _usual_length(workload: Workload, cluster: VirtualCluster) -> Length | None:
    if workload.usual_samples is None:
        return None
    return Length(
        steps=-(-workload.usual_samples // cluster.global_batch),
        basis=f"the usual {workload.usual_samples / 1e6:,.0f} million samples",
    )


def named(cluster: VirtualCluster) -> Accelerator:
    """Give the catalogue's row of a cluster.

    Args:
        cluster: Any cluster.

    Returns:
        The row.

    Raises:
        SpecError: If the cluster's kind is open.
    """
    if cluster.row is None:
        raise SpecError(
            f"{cluster} names no accelerator, so nothing is known of its speed; write '{cluster.count}xV100'"
        )
    return cluster.row


def _unit(row: Accelerator) -> tuple[str, ...]:
    if row.vendor == "Google" and row.cores_per_unit > 1:
        return (f"one {row.name} is taken as a {row.unit}, which has {row.cores_per_unit} cores",)
    return ()
