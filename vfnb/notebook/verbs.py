"""The verbs of `%vflow`: what each looks like, the flags that it takes, and the help made of them."""

_FIRST = {
    "target": "target 1024xTPUv3 --batch 32768   choose the cluster to stand in for",
    "run": "run task --on 2 --epochs 3        train on it here, in the background",
    "resize": "resize 4                          go on with other devices, while it trains",
    "status": "status                            where the run stands",
    "stop": "stop                              end at the next step",
}
_OTHERS = {
    "pause": "pause                             hold at the next step",
    "resume": "resume                            go on",
    "map": "map 0:48 1:16                     virtual nodes by worker",
    "devices": "devices                           what this machine has",
    "runs": "runs                              what was run from this folder",
}
VERBS = (*_FIRST, *_OTHERS)
FLAGS = {
    "target": ("--batch",),
    "run": (
        "--on",
        "--epochs",
        "--steps",
        "--seed",
        "--name",
        "--model",
        "--data",
        "--loss",
        "--optimizer",
    ),
}
WORDS = {"target": None, "run": 1, "resize": None, "map": None, "runs": 1}  # the most a verb takes; None is any number
HELP = "\n".join(f"%vflow {text}" for text in (*_FIRST.values(), *_OTHERS.values()))
