"""The models that are known by name: BERT encoders without heads, ResNets and ViTs."""

from difflib import get_close_matches

from vfnb.ground import SpecError
from vfnb.planning.target.residual import ResNet
from vfnb.planning.target.transformer import Encoder
from vfnb.planning.target.workload import Precision, Workload

_IMAGENET = 90 * 1_281_167  # 90 epochs (Goyal et al., arXiv 1706.02677)
_BOOKS = 1_000_000 * 512  # a million steps of 512 sequences (You et al., arXiv 1904.00962, table 1)
_TOKENS = 128  # where 9 in 10 of BERT's steps are trained


def _bert(name: str, layers: int, width: int, heads: int) -> Encoder:
    outside = (30_522 + 512 + 2) * width + 2 * width  # words, positions, segments; their norm
    return Encoder(name=name, layers=layers, width=width, heads=heads, outside=outside, usual_samples=_BOOKS)


def _vit(name: str, width: int, heads: int, patch: int) -> Encoder:
    tokens, inputs = _patches(patch) + 1, 3 * patch**2
    outside = (inputs + 1 + tokens + 1 + 2) * width + (width + 1) * 1000  # patches, positions, norm, classifier
    return Encoder(
        name=name, layers=12, width=width, heads=heads, outside=outside, embedding=inputs, usual_samples=None
    )


def _patches(patch: int) -> int:
    return (224 // patch) ** 2


_BERTS = {one.name: one for one in (_bert("bert-base", 12, 768, 12), _bert("bert-large", 24, 1024, 16))}
_VITS = {
    "vit-small-16": (_vit("vit-small-16", 384, 6, 16), _patches(16) + 1),
    "vit-base-16": (_vit("vit-base-16", 768, 12, 16), _patches(16) + 1),
    "vit-base-32": (_vit("vit-base-32", 768, 12, 32), _patches(32) + 1),
}
_RESNETS = {
    one.name: one
    for one in (
        ResNet(name="resnet18", blocks=(2, 2, 2, 2), bottleneck=False, usual_samples=_IMAGENET),
        ResNet(name="resnet34", blocks=(3, 4, 6, 3), bottleneck=False, usual_samples=_IMAGENET),
        ResNet(name="resnet50", blocks=(3, 4, 6, 3), bottleneck=True, usual_samples=_IMAGENET),
        ResNet(name="resnet101", blocks=(3, 4, 23, 3), bottleneck=True, usual_samples=_IMAGENET),
        ResNet(name="resnet152", blocks=(3, 8, 36, 3), bottleneck=True, usual_samples=_IMAGENET),
    )
}


def known_models() -> tuple[str, ...]:
    """List the names of the models that are known.

    Returns:
        The names.
    """
    return (*_RESNETS, *_BERTS, *_VITS)


def known(name: str, precision: Precision, *, sequence: int | None = None) -> Workload:
    """Give a known model's workload; neither torch nor a network is needed.

    Args:
        name: Such as "resnet50" or "bert-large"; a BERT is the encoder without heads.
        precision: The precision.
        sequence: A BERT's tokens a sample; None for 128. Images have none.

    Returns:
        The workload.

    Raises:
        SpecError: If the name is unknown, or the sequence is not possible.
    """
    key = name.strip().lower().replace("_", "-").replace("resnet-", "resnet")
    if key in _BERTS:
        tokens = _TOKENS if sequence is None else sequence
        if not 1 <= tokens <= 512:
            raise SpecError(f"sequence={tokens} is not possible; {key} has positions for 1 to 512 tokens")
        return _BERTS[key].workload(tokens, precision)
    if sequence is not None and key in known_models():
        raise SpecError(f"sequence={sequence} has no meaning for {key}, whose samples are images; leave it out")
    if key in _VITS:
        encoder, tokens = _VITS[key]
        return encoder.workload(tokens, precision)
    if key in _RESNETS:
        return _RESNETS[key].workload(precision)
    near = get_close_matches(key, known_models(), n=3, cutoff=0.0)
    raise SpecError(f"model {name!r} is unknown; the nearest of {len(known_models())} known ones are {', '.join(near)}")
