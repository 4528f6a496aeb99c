"""`vfnb.estimate` of a task: its own model, data, optimizer and length."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from measured import keep_profile
from torch import Tensor, nn
from torch.utils.data import TensorDataset

import vfnb
from vfnb.ground import SpecError
from vfnb.planning import known

CLUSTER = vfnb.VirtualCluster.parse("64xV100", global_batch=512)
SGD = partial(torch.optim.SGD, lr=0.1)


def pairs(samples: int = 1000) -> TensorDataset:
    return TensorDataset(torch.zeros(samples, 16), torch.zeros(samples, dtype=torch.long))


def task(model: Any = None, optimizer: Any = SGD, **parts: Any) -> vfnb.Task:
    return vfnb.Task(model or nn.Linear(16, 4), pairs(), nn.CrossEntropyLoss(), optimizer, **parts)


def test_a_task_is_counted_by_the_sample() -> None:
    found = vfnb.estimate(task(nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))), CLUSTER)

    assert found.flops_per_sample == 2 * (2 * 16 * 32 + 3 * 32 * 4)
    assert found.parameters == 17 * 32 + 33 * 4
    assert found.batch_per_device == 8
    assert found.run_seconds is None


@pytest.mark.parametrize(
    ("optimizer", "state_bytes"),
    [
        (SGD, 0),
        (partial(torch.optim.SGD, lr=0.1, momentum=0.9), 4),
        (torch.optim.AdamW, 8),
        (lambda model: torch.optim.Adam(model.parameters(), amsgrad=True), 12),
    ],
)
def test_an_optimizer_is_tried_for_what_it_keeps(optimizer: Any, state_bytes: int) -> None:
    found = vfnb.estimate(task(optimizer=optimizer), CLUSTER, precision="fp32")

    assert dict(found.memory.table)["optimizer"] == state_bytes * found.parameters


def test_an_optimizer_that_cannot_be_tried_is_taken_for_adam_and_said() -> None:
    class Fussy(torch.optim.SGD):
        def step(self) -> None:  # type: ignore[override]  # that is the test
            raise RuntimeError("needs all gradients")

    found = vfnb.estimate(task(optimizer=partial(Fussy, lr=0.1)), CLUSTER)

    assert dict(found.memory.table)["optimizer"] == 8 * found.parameters
    assert any("needs all gradients" in one for one in found.remarks)


def test_the_runs_length_is_the_tasks_with_its_evaluation() -> None:
    alone, evaluated = (vfnb.estimate(task(evaluate=data), CLUSTER, epochs=3) for data in (None, pairs(512)))

    assert alone.bill is not None
    assert alone.bill.steps == 3 * 2
    assert alone.run_seconds is not None
    assert evaluated.run_seconds is not None
    assert evaluated.run_seconds.mid == pytest.approx(alone.run_seconds.mid * (6 + 3 / 3) / 6)


def test_this_machines_devices_are_judged_with_the_exact_sum() -> None:
    found = vfnb.estimate(task(), CLUSTER)

    assert found.here
    for _, memory in found.here:
        assert memory.verdict == "fits"
        assert dict(memory.table)["gradient buffer"] == 8 * found.parameters


def test_a_step_and_a_run_here_are_told_beside_those_there() -> None:
    found = vfnb.estimate(task(), CLUSTER, steps=100)

    assert found.here_step_seconds is not None
    assert found.here_run_seconds == found.here_step_seconds.times(100)
    assert 0 < found.here_step_seconds.low < found.here_step_seconds.high
    assert "here, time a step" in repr(found)
    assert f"on {', '.join(device for device, _ in found.here)}, fp32; vfnb.profile(task) narrows it" in repr(found)


def test_a_step_here_comes_from_a_profile_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    learned = task()
    keep_profile(learned, lambda samples: 0.1 * samples)

    found = vfnb.estimate(learned, CLUSTER)

    assert found.here_step_seconds is not None
    passes = -(-32 // len(found.here)) * 2  # of 64 nodes in 32 blocks, on the device with the most
    assert found.here_step_seconds.mid == pytest.approx(0.8 * passes)
    assert found.here_basis.endswith("from a profile")


def test_tied_weights_count_once() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(16, 16), nn.Linear(16, 16)
            self.second.weight = self.first.weight

        def forward(self, x: Tensor) -> Tensor:
            return self.second(self.first(x))

    assert vfnb.estimate(task(Tied()), CLUSTER).parameters == 16 * 16 + 16 + 16


def test_a_model_that_needs_values_is_estimated_and_says_which_operator() -> None:
    class Branches(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x) * (1 if x.sum().item() > 0 else 2)

    found = vfnb.estimate(task(Branches(16, 4)), CLUSTER)

    assert any("aten._local_scalar_dense" in one for one in found.remarks)
    assert found.flops_per_sample == 2 * 2 * 16 * 4


@dataclass
class Output:
    loss: Tensor
    logits: Tensor


class Words:
    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> dict[str, Tensor]:
        words = torch.full((12,), index)
        return {"input_ids": words, "attention_mask": torch.ones_like(words), "labels": words}


class MaskedWords(nn.Module):
    """Takes and gives what Hugging Face models do."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.head = nn.Embedding(50, 16), nn.Linear(16, 50)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor) -> Output:
        logits = self.head(self.embedding(input_ids) * attention_mask.unsqueeze(-1))
        return Output(loss=nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten()), logits=logits)


class Layer(nn.Module):
    """One layer of BERT-base, each operator on its own."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(768, 768) for _ in range(4))
        self.up, self.down = nn.Linear(768, 3072), nn.Linear(3072, 768)
        self.norm_a, self.norm_b, self.dropout = nn.LayerNorm(768), nn.LayerNorm(768), nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (
            part(x).unflatten(-1, (12, 64)).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        scores = query @ key.transpose(-1, -2) / 8 + torch.zeros(128, device=x.device)
        mixed = (self.dropout(scores.softmax(-1)) @ value).transpose(1, 2).flatten(2)
        x = self.norm_a(x + self.dropout(self.out(mixed)))
        return self.norm_b(x + self.dropout(self.down(nn.functional.gelu(self.up(x)))))


def bert_base() -> nn.Module:
    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.places, self.segments = (nn.Embedding(size, 768) for size in (30_522, 512, 2))
            self.norm, self.layers = nn.LayerNorm(768), nn.Sequential(*(Layer() for _ in range(12)))

        def forward(self, words: Tensor) -> Tensor:
            embedded = self.words(words) + self.places.weight[: words.shape[1]] + self.segments.weight[0]
            return self.layers(self.norm(embedded))

    return Encoder()


def test_a_model_with_its_own_loss_over_dictionaries_is_estimated() -> None:
    learned = vfnb.Task(MaskedWords(), Words(), None, torch.optim.AdamW)

    found = vfnb.estimate(learned, CLUSTER)

    assert found.flops_per_sample == 3 * 2 * 12 * 16 * 50
    assert not any("needs values" in one or "not counted" in one for one in found.remarks)


def test_a_counted_encoder_agrees_with_the_one_known_by_name() -> None:
    words = TensorDataset(torch.zeros(8, 128, dtype=torch.long))
    learned = vfnb.Task(bert_base(), words, lambda model, batch: model(batch[0]).float().mean(), torch.optim.AdamW)

    found = vfnb.estimate(learned, CLUSTER, precision="fp16")

    by_name = vfnb.estimate("bert-base", CLUSTER, precision="fp16")
    assert found.parameters == by_name.parameters
    assert found.flops_per_sample == pytest.approx(by_name.flops_per_sample, rel=0.001)
    assert found.step_seconds.mid == pytest.approx(by_name.step_seconds.mid, rel=0.15)


def test_the_reference_resnet_agrees_with_its_shapes() -> None:
    class Block(nn.Module):
        def __init__(self, inputs: int, width: int, stride: int) -> None:
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv2d(inputs, width, 1, bias=False),
                nn.BatchNorm2d(width),
                nn.ReLU(inplace=True),
                nn.Conv2d(width, width, 3, stride, 1, bias=False),
                nn.BatchNorm2d(width),
                nn.ReLU(inplace=True),
                nn.Conv2d(width, 4 * width, 1, bias=False),
                nn.BatchNorm2d(4 * width),
            )
            self.past: nn.Module = nn.Identity()
            if inputs != 4 * width:
                self.past = nn.Sequential(
                    nn.Conv2d(inputs, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width)
                )

        def forward(self, x: Tensor) -> Tensor:
            return torch.relu(self.body(x) + self.past(x))

    layers: list[nn.Module] = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)]
    layers.append(nn.MaxPool2d(3, 2, 1))
    inputs = 64
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for block in range(blocks):
            layers.append(Block(inputs, width, 2 if block == 0 and width > 64 else 1))
            inputs = 4 * width
    net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))
    images = TensorDataset(torch.zeros(4, 3, 224, 224), torch.zeros(4, dtype=torch.long))
    learned = vfnb.Task(net, images, nn.CrossEntropyLoss(), partial(torch.optim.SGD, lr=0.1, momentum=0.9))

    found = vfnb.estimate(learned, CLUSTER, precision="fp16")

    shapes = known("resnet50", "fp16")
    by_name = vfnb.estimate("resnet50", CLUSTER, precision="fp16")
    assert found.parameters == shapes.parameters
    assert found.flops_per_sample == pytest.approx(shapes.flops_per_sample, rel=0.001)
    assert found.memory.bytes == pytest.approx(by_name.memory.bytes, rel=0.1)
    assert found.step_seconds.mid == pytest.approx(by_name.step_seconds.mid, rel=0.15)


def test_estimating_leaves_the_task_and_the_generators_alone() -> None:
    model = nn.Sequential(nn.Linear(16, 4), nn.Dropout())
    learned, before = task(model, torch.optim.AdamW), torch.get_rng_state()
    weights = model[0].weight.clone()

    vfnb.estimate(learned, CLUSTER)

    assert torch.equal(before, torch.get_rng_state())
    assert torch.equal(weights, learned.parts.model.build(0)[0].weight)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"task": 3}, "task is a int"),
        ({"cluster": "64xV100"}, "cluster is a str"),
        ({"epochs": 0}, "epochs=0"),
        ({"steps": 0}, "steps=0"),
        ({"epochs": 1, "steps": 1}, "give one of them at most"),
        ({"sequence": 8}, "sequence=8 is for models known by name"),
        ({"precision": "int8"}, "precision='int8' is unknown"),
        ({"task": "resnet50", "epochs": 1}, "give steps="),
        ({"cluster": vfnb.VirtualCluster.parse("64", global_batch=64)}, "names no accelerator"),
    ],
)
def test_what_cannot_be_estimated_is_refused_in_one_sentence(given: dict[str, Any], said: str) -> None:
    asked = {"task": task(), "cluster": CLUSTER} | given

    with pytest.raises(SpecError, match=said):
        vfnb.estimate(**asked)
