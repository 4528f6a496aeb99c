"""Published large-batch experiments: recipes that run here, and the optimizers, schedules and data they need."""

from vfnb.papers.card import Card, card
from vfnb.papers.experiment import Experiment
from vfnb.papers.lamb import Lamb, matrices_and_rest
from vfnb.papers.lars import lars
from vfnb.papers.library import list, load  # noqa: A004  # vfnb.papers.list()
from vfnb.papers.minilm import MiniLM, minilm, minilm_folder
from vfnb.papers.networks import digits_convnet, fashion_convnet, mnist1d_cnn, mnist1d_cnn_norm, mnist1d_mlp
from vfnb.papers.rates import linear_rate, sqrt_rate
from vfnb.papers.recipe import Recipe
from vfnb.papers.schedules import Schedule, warmup_constant, warmup_cosine, warmup_polynomial, warmup_step
from vfnb.papers.small import digits, fashion_mnist, mnist1d
from vfnb.papers.snippets import Snippet, Tokens, movie_snippets, tokenized

__all__ = [
    "Card",
    "Experiment",
    "Lamb",
    "MiniLM",
    "Recipe",
    "Schedule",
    "Snippet",
    "Tokens",
    "card",
    "digits",
    "digits_convnet",
    "fashion_convnet",
    "fashion_mnist",
    "lars",
    "linear_rate",
    "list",
    "load",
    "matrices_and_rest",
    "minilm",
    "minilm_folder",
    "mnist1d",
    "mnist1d_cnn",
    "mnist1d_cnn_norm",
    "mnist1d_mlp",
    "movie_snippets",
    "sqrt_rate",
    "tokenized",
    "warmup_constant",
    "warmup_cosine",
    "warmup_polynomial",
    "warmup_step",
]
