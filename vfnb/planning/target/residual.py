"""Residual convnets as workloads: the ResNets (v1.5, 1000 classes), from their shapes alone."""

from collections.abc import Iterator
from dataclasses import dataclass

from vfnb.planning.target.workload import Precision, Product, Workload, element_bytes

_STAGES = ((64, 56), (128, 28), (256, 14), (512, 7))  # width, and the side of its maps for an image of 224
_CLASSES = 1000
# Times that a convolution's output is read or written outside products, each operator on its own: batch norm 3
# forward (statistics, and in and out) and 5 backward, ReLU 2 and 3; where a block ends, its sum 3 and 3 more.
_NORM, _RELU, _SUM = 8, 5, 6
# What is kept: a convolution's output for batch norm's backward; after ReLU, once more for the next and for ReLU.
_KERNELS_OF_CONVOLUTION = 8  # itself 3, batch norm 2, ReLU 2, and now and then a sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Convolution:
    """One convolution with its batch norm, and what follows.

    Attributes:
        inputs: Channels in.
        outputs: Channels out.
        kernel: The kernel's side.
        side_in: The input maps' side.
        side: The output maps' side.
        relu: Whether ReLU follows.
        joins: Whether it ends a block, where its output is added to the block's input.
    """

    inputs: int
    outputs: int
    kernel: int
    side_in: int
    side: int
    relu: bool = True
    joins: bool = False

    @property
    def elements(self) -> int:
        """Numbers in the output of one sample."""
        return self.outputs * self.side**2

    @property
    def elements_in(self) -> int:
        """Numbers in the input of one sample."""
        return self.inputs * self.side_in**2

    @property
    def weights(self) -> int:
        """Numbers in the kernel."""
        return self.inputs * self.outputs * self.kernel**2


@dataclass(frozen=True, slots=True, kw_only=True)
class ResNet:
    """A residual net.

    Attributes:
        name: The model.
        blocks: Blocks of each stage.
        bottleneck: Whether blocks are 1x1, 3x3, 1x1 rather than two 3x3.
        usual_samples: Of a whole run, as papers train it.
    """

    name: str
    blocks: tuple[int, int, int, int]
    bottleneck: bool
    usual_samples: int | None = None

    @property
    def _last(self) -> int:
        return _STAGES[-1][0] * (4 if self.bottleneck else 1)

    def workload(self, precision: Precision) -> Workload:
        """Say what a pass asks.

        Args:
            precision: The precision.

        Returns:
            The workload of one image of 224 x 224.
        """
        size = element_bytes(precision)
        convolutions = tuple(self._convolutions())
        weights = sum(one.weights for one in convolutions)
        norms = sum(2 * one.outputs for one in convolutions)
        classifier = (self._last + 1) * _CLASSES
        touched = sum(
            one.elements * (_NORM + (_RELU if one.relu else 0) + (_SUM if one.joins else 0)) for one in convolutions
        )
        kept = sum(one.elements * (2 if one.relu else 1) for one in convolutions) + 3 * 224**2
        return Workload(
            name=self.name,
            precision=precision,
            parameters=weights + norms + classifier,
            products=(*_products(convolutions, size), _classifier(self._last, size)),
            other_bytes=float(size * touched),
            kernels=_KERNELS_OF_CONVOLUTION * len(convolutions),
            kept_bytes=float(size * kept),
            working_bytes=float(size * 3 * max(one.elements for one in convolutions)),
            state_bytes=4.0,
            usual_samples=self.usual_samples,
        )

    def _convolutions(self) -> Iterator[Convolution]:
        yield Convolution(inputs=3, outputs=64, kernel=7, side_in=224, side=112)
        inputs, side_in = 64, 56
        for (width, side), blocks in zip(_STAGES, self.blocks, strict=True):
            for block in range(blocks):
                outputs = width * (4 if self.bottleneck else 1)
                yield from self._block(inputs, width, side_in, side)
                if block == 0 and (inputs, side_in) != (outputs, side):
                    yield Convolution(inputs=inputs, outputs=outputs, kernel=1, side_in=side_in, side=side, relu=False)
                inputs, side_in = outputs, side

    def _block(self, inputs: int, width: int, side_in: int, side: int) -> Iterator[Convolution]:
        if self.bottleneck:
            yield Convolution(inputs=inputs, outputs=width, kernel=1, side_in=side_in, side=side_in)
            yield Convolution(inputs=width, outputs=width, kernel=3, side_in=side_in, side=side)
            yield Convolution(inputs=width, outputs=4 * width, kernel=1, side_in=side, side=side, joins=True)
        else:
            yield Convolution(inputs=inputs, outputs=width, kernel=3, side_in=side_in, side=side)
            yield Convolution(inputs=width, outputs=width, kernel=3, side_in=side, side=side, joins=True)


def _products(convolutions: tuple[Convolution, ...], size: int) -> Iterator[Product]:
    for place, one in enumerate(convolutions):
        yield Product(
            flops=2.0 * one.weights * one.side**2,
            sample_bytes=float(size * (one.elements_in + one.elements)),
            once_bytes=float(size * one.weights),
            times=3 if place else 2,  # images need no gradient
        )


def _classifier(inputs: int, size: int) -> Product:
    return Product(
        flops=2.0 * inputs * _CLASSES,
        sample_bytes=float(size * (inputs + _CLASSES)),
        once_bytes=float(size * inputs * _CLASSES),
        times=3,
    )
