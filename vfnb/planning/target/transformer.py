"""Transformer encoders as workloads: BERT and ViT, from their shapes alone.

Letters: s tokens, h width, a heads; feed-forward width is 4 h.
"""

from dataclasses import dataclass

from vfnb.planning.target.workload import Precision, Product, Workload, element_bytes

# Numbers of one layer's traffic outside products, each operator reading and writing on its own (bias joins its
# product). Forward, of s*h: two residual sums 3 each, two dropouts 2.5, two layer norms 2, GELU on 4h, copies of
# heads 2 each for q, k, v and back: 31. Of a*s*s: scale 2, mask 2, softmax 2, dropout 2.5. Backward: twice.
_OTHER_SH = 3 * 31
_OTHER_ASS = 3 * 8.5
# Bytes kept a layer at 16 bits: s*h*34 + 5*a*s*s (Korthikanti et al., arXiv 2205.05198, eq. 1); at 32 bits all but
# the masks (2 of 34 and 1 of 5) double.
_KEPT_SH, _KEPT_SH_MASKS = 34, 2
_KEPT_ASS, _KEPT_ASS_MASKS = 5, 1
_KERNELS = 3 * 30  # forward: 8 products, and each operator above; backward twice


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder:
    """A stack of encoder layers.

    Attributes:
        name: The model.
        layers: How many.
        width: h.
        heads: a.
        outside: Parameters outside the layers: embeddings, final norm.
        embedding: Numbers that each token's embedding multiplies with, for patches; 0 for a look-up.
        usual_samples: Of a whole run, as papers train it.
    """

    name: str
    layers: int
    width: int
    heads: int
    outside: int
    embedding: int = 0
    usual_samples: int | None = None

    @property
    def parameters(self) -> int:
        """Trainable numbers."""
        h = self.width
        return self.layers * (12 * h * h + 13 * h) + self.outside

    def workload(self, tokens: int, precision: Precision) -> Workload:
        """Say what a pass asks.

        Args:
            tokens: The sequence's length.
            precision: The precision.

        Returns:
            The workload of a sample of so many tokens.
        """
        s, h, a, size = tokens, self.width, self.heads, element_bytes(precision)
        double = 2 if size == 4 else 1
        kept_sh = (_KEPT_SH - _KEPT_SH_MASKS) * double + _KEPT_SH_MASKS
        kept_ass = (_KEPT_ASS - _KEPT_ASS_MASKS) * double + _KEPT_ASS_MASKS
        return Workload(
            name=f"{self.name}, {s} tokens",
            precision=precision,
            parameters=self.parameters,
            products=self._products(s, size),
            other_bytes=self.layers * size * (_OTHER_SH * s * h + _OTHER_ASS * a * s * s),
            kernels=self.layers * _KERNELS,
            kept_bytes=self.layers * (kept_sh * s * h + kept_ass * a * s * s),
            working_bytes=size * 3.0 * max(4 * s * h, a * s * s),
            usual_samples=self.usual_samples,
        )

    def _products(self, s: int, size: int) -> tuple[Product, ...]:
        h, a, layers = self.width, self.heads, self.layers
        found = [
            _linear(s, h, h, size, times=4 * layers),  # q, k, v and their joint output
            _linear(s, h, 4 * h, size, times=2 * layers),
            # Scores and their product with the values: two of s x s x h, forward; backward has two for each.
            Product(flops=2.0 * s * s * h, sample_bytes=size * (2 * s * h + a * s * s), times=6 * layers),
        ]
        if self.embedding:
            found.append(_linear(s, self.embedding, h, size, times=1))
        return tuple(found)


def _linear(s: int, inner: int, outer: int, size: int, *, times: int) -> Product:
    """Give a layer's three products: its output, its input's gradient and its weights'."""
    return Product(
        flops=2.0 * s * inner * outer,
        sample_bytes=float(size * s * (inner + outer)),
        once_bytes=float(size * inner * outer),
        times=3 * times,
    )
