"""Objects of other libraries as functions of states: what they are asked, and what they answer.

Nothing is imported that the user has not imported: objects are told by what they can do.
"""

from __future__ import annotations

import dataclasses
import sys
import zlib
from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy as np
import numpy.typing as npt

from . import errors

if TYPE_CHECKING:
    from .log import Log

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass
class Asked:
    """A function from states (n, d) to what the library wants: (n, actions) or (n, samples, k)."""

    function: Callable[[Floats], Any]
    actions: int = 0
    action_dim: int = 0
    samples: int = 0

    @property
    def width(self) -> int:
        return self.actions or self.action_dim * self.samples


@dataclasses.dataclass
class Adapter:
    """A user's function, and how to read its answers."""

    function: Callable[[Any], Any]
    states: str = "auto"  # array, tensor or frame; auto: a frame if the log is of one
    samples: int = 10
    seed: int = 1
    actions: Optional[int] = None
    classes: Optional[list[Any]] = None  # what the columns of the answer mean; None: 0, 1, ...
    output: str = "auto"  # what numbers (n, A) are: probabilities or logits

    def for_log(self, log: "Log") -> Asked:
        if self.states not in ("auto", "array", "tensor", "frame"):
            raise errors.UsageError(f"`states`: '{self.states}' should be auto, array, tensor or frame")
        if self.output not in ("auto", "probabilities", "logits"):
            raise errors.UsageError(f"`output`: '{self.output}' should be auto, probabilities or logits")
        if log.actions:
            columns, actions = self._columns(log)
            return Asked(lambda s: self._probabilities(s, log, columns, actions), actions=actions)
        if self.samples < 1:
            raise errors.UsageError(f"`samples`: {self.samples} should be 1 or more")
        k = log.action_dim
        return Asked(lambda s: self._sampled(s, log, k), action_dim=k, samples=self.samples)

    def _columns(self, log: "Log") -> tuple[Optional[list[int]], int]:
        """Which action each column of the answer is about, and how many actions there are."""
        actions = max(self.actions or 0, log.actions)
        if self.classes is None:
            return None, actions
        columns = [log._action_code(one) for one in self.classes]
        return columns, max([actions] + [one + 1 for one in columns])

    def _ask(self, states: Floats, log: "Log") -> Any:
        if self.states == "frame" or (self.states == "auto" and log._names.frames):
            return self.function(log._frame(states))
        if self.states == "tensor":
            import torch

            return self.function(torch.as_tensor(states))
        return self.function(states)

    def _probabilities(self, states: Floats, log: "Log", columns: Optional[list[int]], actions: int) -> Floats:
        n = len(states)
        answer = self._ask(states, log)
        if hasattr(answer, "probs"):  # a distribution over actions
            answer = answer.probs
        found = as_array(answer)
        if found.shape[:1] != (n,) or found.ndim not in (1, 2):
            raise errors.PolicyError(
                f"answered with shape {found.shape} for {n} states; it should be ({n}, {actions}), or "
                f"({n},): the action at every state"
            )
        if found.ndim == 1 or (found.shape[1] == 1 and actions > 1):
            return _chosen(found.reshape(n), log, actions)
        if found.dtype.kind not in "fiub":
            raise errors.PolicyError(f"answered with elements of type {found.dtype}; numbers are probabilities")
        values = found.astype(np.float64)
        if self.output == "logits":
            values = np.exp(values - values.max(axis=1, keepdims=True))
            values /= values.sum(axis=1, keepdims=True)
        elif not np.all(np.abs(values.sum(axis=1) - 1) < 1e-3) and self.output == "auto":
            raise errors.PolicyError(
                f"the first row of the answer, {values[0][:8].tolist()}, does not sum to 1; if these are "
                'logits, say so: output="logits"'
            )
        elif values.dtype != found.dtype:  # single precision sums to 1 less exactly than the library asks
            values /= values.sum(axis=1, keepdims=True)
        if columns is None and values.shape[1] == actions:
            return values
        places = columns if columns is not None else range(values.shape[1])
        if len(places) != values.shape[1] or max(places) >= actions:
            raise errors.PolicyError(
                f"answered with {values.shape[1]} columns, and there are {actions} actions; actions=N says "
                "that the policy knows more than the log has seen"
            )
        whole = np.zeros((n, actions))
        whole[:, places] = values
        return whole

    def _sampled(self, states: Floats, log: "Log", k: int) -> Floats:
        n, m = len(states), self.samples
        answer = self._ask(states, log)
        if hasattr(answer, "sample") and hasattr(answer, "log_prob"):
            drawn = as_array(_draw(answer, m, self.seed, states))  # (m, n, k) or (m, n)
            return np.swapaxes(drawn.reshape(m, n, k), 0, 1).astype(np.float64)
        found = as_array(answer)
        if found.shape in ((n, m, k), (n * m * k,)) or (k == 1 and found.shape == (n, m) and m > 1):
            return found.reshape(n, m, k).astype(np.float64)
        if found.shape == (n, k) or (k == 1 and found.shape == (n,)):
            return np.repeat(found.reshape(n, 1, k), m, axis=1).astype(np.float64)
        raise errors.PolicyError(
            f"answered with shape {found.shape} for {n} states; it should be ({n}, {k}), or ({n}, {m}, {k}) "
            f"with samples={m}"
        )


def _draw(distribution: Any, m: int, seed: int, states: Floats) -> Any:
    """`m` draws that depend on the seed and on the states alone, not on what was drawn before."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(zlib.crc32(states.tobytes(), zlib.crc32(str(seed).encode())))
        return distribution.sample((m,))


def as_array(values: Any) -> npt.NDArray[Any]:
    """A tensor, frame or list as an array."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    elif hasattr(values, "to_numpy"):
        values = values.to_numpy()
    return np.asarray(values)


def _chosen(actions: npt.NDArray[Any], log: "Log", count: int) -> Floats:
    """The action at every state as probabilities."""
    names, inverse = np.unique(actions, return_inverse=True)
    codes = np.array([log._action_code(one) for one in names.tolist()])
    if codes.size and codes.max() >= count:
        raise errors.PolicyError(f"answered with action {int(codes.max())}; there are 0 to {count - 1}")
    whole = np.zeros((len(actions), count))
    whole[np.arange(len(actions)), codes[inverse.reshape(-1)]] = 1
    return whole


# ---- Libraries


def name_of(given: Any) -> str:
    return type(given).__name__


def recognise(given: Any) -> Optional[Adapter]:
    """How to ask an object that is more than a function; None: nothing is known about it."""
    if hasattr(given, "predict_proba") and hasattr(given, "classes_"):
        return classifier(given)
    inner = getattr(given, "policy", given)  # an algorithm of stable-baselines3 has its policy inside
    if hasattr(inner, "get_distribution") and hasattr(inner, "obs_to_tensor"):
        return _stable_baselines(inner)
    if hasattr(given, "predict") and not _is_module(given):
        if hasattr(given, "feature_names_in_"):
            return Adapter(given.predict, states="frame", samples=1)
        return Adapter(lambda states: _predicted(given, states), states="array", samples=1)
    if _is_module(given):
        return torch_module(given, "auto", 10, 1)
    if hasattr(given, "run") and hasattr(given, "get_inputs"):
        return onnx(given, "auto")
    return None


def classifier(given: Any) -> Adapter:
    if not hasattr(given, "predict_proba"):
        raise errors.PolicyError(f"{name_of(given)}: has no predict_proba; a classifier that is fitted has")
    states = "frame" if hasattr(given, "feature_names_in_") else "array"
    return Adapter(given.predict_proba, states=states, classes=list(np.asarray(given.classes_).tolist()))


def _predicted(given: Any, states: Floats) -> Any:
    """The action at every state. stable-baselines3 answers with a pair, of which it is the first."""
    answer = given.predict(states.astype(np.float32))
    return answer[0] if isinstance(answer, tuple) else answer


def _stable_baselines(policy: Any) -> Adapter:
    def ask(states: Floats) -> Any:
        import torch

        with torch.no_grad():
            observations, _ = policy.obs_to_tensor(states.astype(np.float32))
            return policy.get_distribution(observations).distribution

    return Adapter(ask, states="array")


def _is_module(given: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.nn.Module)


def torch_module(module: Any, output: str, samples: int, seed: int) -> Adapter:
    def ask(states: Floats) -> Any:
        import torch

        first = next(iter(module.parameters()), torch.zeros(1))
        training = module.training
        module.eval()
        try:
            with torch.no_grad():
                return module(torch.as_tensor(states).to(dtype=first.dtype, device=first.device))
        finally:
            module.train(training)

    return Adapter(ask, states="array", samples=samples, seed=seed, output=output)


def onnx(model: Any, output: str, classes: Optional[list[Any]] = None) -> Adapter:
    session = model
    if isinstance(model, str):
        try:
            import onnxruntime
        except ImportError as missing:
            raise errors.AbsentError(f"{model}: onnxruntime reads this file; pip install onnxruntime") from missing
        try:
            session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        except Exception as failure:
            raise errors.PolicyError(f"{model}: {failure}") from failure
    inputs = session.get_inputs()
    if len(inputs) != 1:
        raise errors.PolicyError(f"onnx: {len(inputs)} inputs; a policy has one, the states (n, d)")
    kind = np.float64 if "double" in inputs[0].type else np.float32

    def ask(states: Floats) -> Any:
        answers = session.run(None, {inputs[0].name: states.astype(kind)})
        last = answers[-1]  # a classifier gives labels first and probabilities last
        if isinstance(last, list) and last and isinstance(last[0], dict):
            return np.array([[one[label] for label in labels(last[0])] for one in last])
        return last

    def labels(one: dict[Any, Any]) -> list[Any]:
        """The keys of a map of probabilities in the order of the columns that are wanted."""
        wanted = classes if classes is not None else list(range(len(one)))
        if set(wanted) != set(one):
            raise errors.PolicyError(f"gives probabilities of {sorted(one)}; classes=[...] says what they are")
        return wanted

    return Adapter(ask, states="array", output=output, classes=classes)
