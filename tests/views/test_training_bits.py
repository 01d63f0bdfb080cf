"""Training in Chromium, Firefox and Node: the same bits in each, from files, with no network."""

import base64
import json
import shutil
import subprocess

import pytest
from live import SCRIPTS, Mailbox, in_chromium, in_firefox, write_page

from tests.programs import program
from tutorial_lib.views import engine

# A hash of all weights after some steps on made-up tokens, by the kernel and in plain JavaScript.
BITS = """
function trained() {
  return ["TrainingKernel(code)", "Arithmetic()"].map((base) => {
    const code = Uint8Array.from(atob(CODE), (letter) => letter.charCodeAt(0));
    return new Function("code", `${SOURCE}\\nconst machine = Training(${base});\\n${RUN}`)(code);
  });
}
if (typeof window === "undefined") console.log(JSON.stringify(trained()));
"""
RUN = """
const config = { vocab_size: 23, d_model: 32, n_layers: 2, n_heads: 2, d_ff: 64, n_positions: 16 };
config.activation = "gelu_new";
const parameters = Parameters(shapes_of(config)), model = new GPT(parameters.part, config), generator = Random(5);
const loss = next_tokens(Int32Array.from({ length: 2000 }, (_, i) => (i * i * 7 + i) % 23), 16, 4);
const settings = { n_steps: 30, lr: 6e-3, warmup: 5, weight_decay: 0.01, clip: 1 };
initialize(parameters, config, 5, 0.06);
for (let step = 0; step < 30; step++) one_step(model, parameters, loss, generator, settings, step);
let hash = 0;
for (const W of parameters.all) {
  const values = machine.view(W), numbers = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < numbers.length; i++) hash = (Math.imul(hash, 31) + numbers[i]) >>> 0;
}
return hash;
"""


@pytest.fixture
def page(tmp_path):
    """The address of a page that reports the hashes, with the script next to it that prints them in Node."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in engine.TRAINING)
    code = base64.b64encode((engine.HERE / "train.wasm").read_bytes()).decode()
    values = {"SOURCE": source, "CODE": code, "RUN": RUN}
    lines = "".join(f"const {name} = {json.dumps(text)};\n" for name, text in values.items())
    (tmp_path / "bits.js").write_text(lines + BITS, encoding="utf-8")
    shutil.copy(SCRIPTS / "visit.js", tmp_path)
    return write_page(tmp_path, "training", ["bits", "visit"], "trained()")


@pytest.fixture
def in_node(page, tmp_path):
    told = subprocess.run([program("Node"), tmp_path / "bits.js"], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(told)


def test_chromium_and_node_train_identically(page, in_node, browser):
    assert in_chromium(page, browser) == in_node and len(set(in_node)) == 2


@pytest.mark.long
def test_firefox_trains_like_node(page, in_node, tmp_path):
    program("Firefox")
    with Mailbox(tmp_path) as box:
        assert in_firefox(page, box) == in_node
