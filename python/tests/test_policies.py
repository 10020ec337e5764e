"""Policies of every kind give what their table would: one oracle for all."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import backflow as bf

TABLE = np.array([[0.7, 0.3], [0.2, 0.8], [0.5, 0.5]])


def _by_state(states: Any) -> Any:
    return TABLE[np.asarray(states)[:, 0].astype(int)]


@pytest.fixture(scope="module")
def expected(finite: bf.Log) -> float:
    return bf.estimate(finite, TABLE).value


@pytest.fixture(scope="module")
def clinic() -> bf.Log:
    """Real-valued states with two actions, of no environment."""
    draw = np.random.default_rng(3)
    states, following = draw.normal(size=(400, 2)), draw.normal(size=(400, 2))
    actions = (draw.random(400) < 1 / (1 + np.exp(-states[:, 0]))).astype(np.int64)
    return bf.Log(state=states, action=actions, reward=states[:, 1] + actions, next_state=following)


def test_tables_and_functions(finite: bf.Log, expected: float, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "table.csv"
    np.savetxt(path, TABLE, delimiter=",")
    calls = []

    def counted(states: Any) -> Any:
        calls.append(states.shape)
        return _by_state(states)

    for policy in (TABLE.tolist(), str(path), path, bf.Policy.table(TABLE), counted, bf.Policy.function(counted)):
        assert bf.estimate(finite, policy).value == expected
    assert sum(shape[0] > 1 for shape in calls) == len(calls), "called per row"
    assert np.allclose(bf.Policy.of(counted).probabilities(finite, [[2], [0]]), TABLE[[2, 0]])


def test_actions_instead_of_probabilities(finite: bf.Log) -> None:
    chosen = bf.estimate(finite, lambda states: (states[:, 0] == 1).astype(int)).value
    assert chosen == bf.estimate(finite, [[1, 0], [0, 1], [1, 0]]).value


def test_mixtures(finite: bf.Log) -> None:
    coin = np.full((3, 2), 0.5)
    first = bf.estimate(finite, bf.Policy.mix(TABLE, share=0.75)).value
    assert first == pytest.approx(bf.estimate(finite, 0.75 * TABLE + 0.25 * coin).value, abs=1e-12)
    greedy = np.array([[1.0, 0], [0, 1], [1, 0]])
    second = bf.estimate(finite, bf.Policy.mix(TABLE, greedy, 0.4)).value
    assert second == pytest.approx(bf.estimate(finite, 0.4 * TABLE + 0.6 * greedy).value, abs=1e-12)
    with pytest.raises(bf.UsageError, match="share"):
        bf.Policy.mix(TABLE, share=1.5)
    with pytest.raises(bf.PolicyError, match="do not mix"):
        bf.estimate(finite, bf.Policy.mix(TABLE, np.full((3, 3), 1 / 3), 0.5))


def test_classifiers(clinic: bf.Log) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    states, actions = clinic.column("s"), clinic.column("a")
    classifier = linear_model.LogisticRegression().fit(states, actions)
    by_hand = bf.estimate(clinic, lambda s: classifier.predict_proba(s)).value
    assert bf.estimate(clinic, classifier).value == by_hand
    assert bf.estimate(clinic, bf.Policy.sklearn(classifier)).value == by_hand
    # The order of classes is the classifier's own affair: columns are matched by what they mean.
    swapped = linear_model.LogisticRegression().fit(states, actions)
    swapped.coef_, swapped.intercept_ = -swapped.coef_, -swapped.intercept_
    swapped.classes_ = swapped.classes_[::-1]
    assert bf.estimate(clinic, swapped).value == pytest.approx(by_hand, abs=1e-8)
    one_more = linear_model.LogisticRegression().fit(states, np.arange(400) % 3)
    assert bf.estimate(clinic, one_more).method == bf.estimate(clinic, classifier).method
    wrong = linear_model.LogisticRegression().fit(states, np.where(actions, "treat", "wait"))
    with pytest.raises(bf.PolicyError, match="'treat' is none of the log's"):
        bf.estimate(clinic, wrong)
    with pytest.raises(bf.PolicyError, match="predict_proba"):
        bf.Policy.sklearn(object())
    forest = pytest.importorskip("sklearn.ensemble").RandomForestRegressor(n_estimators=2, random_state=0)
    chooser = forest.fit(states, actions)
    with pytest.raises(bf.PolicyError):  # shares are no actions
        bf.estimate(clinic, chooser)


def test_torch_modules(clinic: bf.Log) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    layer = torch.nn.Linear(2, 2)
    weight, bias = layer.weight.detach().double().numpy(), layer.bias.detach().double().numpy()

    def by_hand(states: Any) -> Any:
        scores = np.exp(states @ weight.T + bias)
        return scores / scores.sum(axis=1, keepdims=True)

    expected = bf.estimate(clinic, by_hand).value
    module = torch.nn.Sequential(layer, torch.nn.Softmax(dim=1), torch.nn.Dropout(0.0))
    module.train()
    for policy in (module, bf.Policy.torch(layer, output="logits")):
        assert bf.estimate(clinic, policy).value == pytest.approx(expected, rel=1e-4)
    assert module.training
    distribution = bf.Policy.function(lambda s: torch.distributions.Categorical(logits=layer(s.float())), states="tensor")
    assert bf.estimate(clinic, distribution).value == pytest.approx(expected, rel=1e-4)
    with pytest.raises(bf.PolicyError, match='output="logits"'):
        bf.estimate(clinic, layer)
    with pytest.raises(bf.UsageError, match="`output`"):
        bf.estimate(clinic, bf.Policy.torch(layer, output="odds"))


def test_vectors_are_sampled_with_a_seed() -> None:
    torch = pytest.importorskip("torch")
    draw = np.random.default_rng(5)
    states = draw.normal(size=(200, 1))
    actions = states + draw.normal(size=(200, 1))
    log = bf.Log(state=states, action=actions, reward=-actions[:, 0] ** 2, next_state=draw.normal(size=(200, 1)))

    class Gaussian(torch.nn.Module):  # type: ignore[misc]
        def forward(self, seen: Any) -> Any:
            return torch.distributions.Normal(0.5 * seen, 0.1)

    def value(seed: int) -> float:
        return bf.estimate(log, bf.Policy.torch(Gaussian(), samples=4, seed=seed), interval="none").value

    torch.manual_seed(1)
    first = value(1)
    state = torch.random.get_rng_state()
    torch.manual_seed(2)
    assert value(1) == first and value(2) != first
    assert not torch.equal(state, torch.random.get_rng_state())  # the user's own stream is left alone
    fixed = bf.estimate(log, lambda s: 0.5 * s, interval="none").value
    again = bf.estimate(log, bf.Policy.function(lambda s: np.repeat(0.5 * s[:, None], 3, 1), samples=3), interval="none")
    assert again.value == pytest.approx(fixed, rel=1e-9)
    with pytest.raises(bf.PolicyError, match="shape"):
        bf.estimate(log, lambda s: np.zeros((len(s), 7)))
    with pytest.raises(bf.UsageError, match="samples"):
        bf.estimate(log, bf.Policy.function(lambda s: s, samples=0))


def test_stable_baselines(clinic: bf.Log) -> None:
    """Networks of stable-baselines3 as they are made: what they do matters, not how well."""
    sb3 = pytest.importorskip("stable_baselines3")
    spaces = pytest.importorskip("gymnasium.spaces")
    torch = pytest.importorskip("torch")
    import gymnasium

    class Empty(gymnasium.Env):  # type: ignore[misc,type-arg]
        observation_space = spaces.Box(-10, 10, (2,), np.float32)
        action_space = spaces.Discrete(2)

    class Vectors(Empty):
        action_space = spaces.Box(-2, 2, (1,), np.float32)

    chooser = sb3.PPO("MlpPolicy", Empty(), seed=3)
    states = torch.as_tensor(clinic.column("s").copy()).float()
    shares = chooser.policy.get_distribution(states).distribution.probs.detach().numpy()
    for policy in (chooser, chooser.policy):
        assert np.allclose(bf.Policy.of(policy).probabilities(clinic), shares, atol=1e-6)
    greedy = sb3.DQN("MlpPolicy", Empty(), seed=3, buffer_size=10)
    chosen, _ = greedy.predict(clinic.column("s").astype(np.float32), deterministic=True)
    assert np.array_equal(bf.Policy.of(greedy).probabilities(clinic).argmax(axis=1), chosen)
    vectors = bf.Log(
        state=clinic.column("s"), action=clinic.column("r")[:, None], reward=clinic.column("r"),
        next_state=clinic.column("ns"),
    )  # fmt: skip
    drawn = sb3.PPO("MlpPolicy", Vectors(), seed=3)
    first = bf.estimate(vectors, drawn, interval="none").value
    assert np.isfinite(first) and bf.estimate(vectors, drawn, interval="none").value == first


def test_onnx_models(clinic: bf.Log, tmp_path: pathlib.Path) -> None:
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    helper, kinds = onnx.helper, onnx.TensorProto
    weight = np.array([[0.5, -0.25], [-1.0, 0.75]], dtype=np.float32)

    def save(name: str, last: str) -> str:
        nodes = [helper.make_node("MatMul", ["x", "w"], ["z"])]
        if last == "p":
            nodes.append(helper.make_node("Softmax", ["z"], ["p"], axis=1))
        graph = helper.make_graph(
            nodes, "policy", [helper.make_tensor_value_info("x", kinds.FLOAT, [None, 2])],
            [helper.make_tensor_value_info(last, kinds.FLOAT, [None, 2])],
            [helper.make_tensor("w", kinds.FLOAT, [2, 2], weight.ravel())],
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        path = str(tmp_path / name)
        onnx.save(model, path)
        return path

    def by_hand(states: Any) -> Any:
        scores = np.exp(states @ weight.astype(float))
        return scores / scores.sum(axis=1, keepdims=True)

    expected = bf.estimate(clinic, by_hand).value
    path = save("p.onnx", "p")
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    logits = bf.Policy.onnx(save("z.onnx", "z"), output="logits")
    for policy in (path, session, logits):
        assert bf.estimate(clinic, policy).value == pytest.approx(expected, rel=1e-4)
    named = bf.Policy.onnx(path, classes=[1, 0])
    swapped = bf.estimate(clinic, lambda s: by_hand(s)[:, ::-1]).value
    assert bf.estimate(clinic, named).value == pytest.approx(swapped, rel=1e-4)
    (tmp_path / "bad.onnx").write_bytes(b"nothing of the kind")
    with pytest.raises(bf.PolicyError, match="bad.onnx"):
        bf.Policy.of(tmp_path / "bad.onnx")


def test_what_is_wrong(finite: bf.Log) -> None:
    def broken(states: Any) -> Any:
        raise LookupError("no such patient")

    with pytest.raises(bf.PolicyError, match="LookupError: no such patient") as caught:
        bf.estimate(finite, broken)
    assert isinstance(caught.value.__cause__, LookupError)
    for wrong, said in [
        (lambda s: np.zeros((len(s), 5)) + 0.2, "5 columns"),
        (lambda s: np.zeros((3, 2)), "shape"),
        (lambda s: [["a", "b"]] * len(s), "type"),
        (lambda s: np.full(len(s), 9), "action 9"),
        (lambda s: np.tile([1.5, -0.5], (len(s), 1)), "not a probability"),
    ]:
        with pytest.raises(bf.PolicyError, match=said):
            bf.estimate(finite, wrong)
    with pytest.raises(bf.PolicyError, match="is no policy"):
        bf.estimate(finite, 3.5)
    with pytest.raises(bf.PolicyError, match="dimensions"):
        bf.estimate(finite, [0.5, 0.5])
    with pytest.raises(bf.UsageError, match="`states`"):
        bf.estimate(finite, bf.Policy.function(broken, states="list"))
    bare = bf.Log({name: finite.column(name) for name in ("s", "a", "r", "ns")})
    unseen = bf.Policy.function(lambda s: np.eye(5)[[4] * len(s)], actions=5)
    assert bf.estimate(bare, unseen).verdict == "cannot tell"
