"""The picture of a recall in headless Chromium: a page plays the client and shows it in a sandbox, as clients do."""

import functools
import http.server
import json
import os
import re
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from retrograph.memory import Memory
from retrograph.server.app_recall import page

from .chromium import Chromium, find_chromium, is_loopback

pytestmark = pytest.mark.browser

PROGRAM = find_chromium()
if not PROGRAM:
    pytest.skip("no Chromium was found: install one (Debian: apt install chromium)", allow_module_level=True)

# What a client does by the specification of MCP Apps: it answers the page's first request, waits until the page says
# that it is ready, then hands it the call's arguments and its answer. The policy is the specification's default.
HOST = """<!doctype html><meta charset="utf-8"><title>client</title>
<style>body{margin:0}iframe{border:0;width:100vw;height:99vh}</style>
<iframe id="app" sandbox="allow-scripts"></iframe><script>
const call = CALL, frame = document.getElementById("app");
window.seen = [];
addEventListener("message", ({ data, source }) => {
  if (source !== frame.contentWindow) return;
  seen.push(data.method);
  const send = (message) => source.postMessage({ jsonrpc: "2.0", ...message }, "*");
  if (data.method === "ui/initialize") {
    window.asked = data.params;
    const told = { protocolVersion: data.params.protocolVersion, hostInfo: { name: "test", version: "1" } };
    send({ id: data.id, result: { ...told, hostCapabilities: {}, hostContext: call.context } });
  }
  if (data.method === "ui/notifications/initialized") {
    send({ method: "ui/notifications/tool-input", params: { arguments: call.arguments } });
    send({ method: "ui/notifications/tool-result", params: call.result });
  }
});
frame.src = "app.html";
</script>"""
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
HOSTILE = "<img src=x onerror=\"parent.postMessage({method:'stolen'},'*')\"><script>parent.postMessage(1)</script>"

Show = Callable[..., Chromium]


class _Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        if self.path.endswith("app.html"):
            self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def show(tmp_path: Path) -> Generator[Show]:
    """Opens the client's page with one call of the tool, and waits until the picture is there."""
    assert PROGRAM
    (tmp_path / "app.html").write_text(page(), encoding="utf-8")
    chromium = Chromium(PROGRAM, tmp_path / "chromium")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=tmp_path)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()

        def opened(call: dict[str, Any], least: int = 20) -> Chromium:
            text = json.dumps(call, ensure_ascii=False).replace("<", "\\u003c")
            (tmp_path / "client.html").write_text(HOST.replace("CALL", text), encoding="utf-8")
            chromium.open(f"http://127.0.0.1:{server.server_address[1]}/client.html")
            chromium.enter_frame("app.html")
            chromium.wait(f"document.getElementById('head').textContent.length > {least}", "the head of the picture")
            return chromium

        try:
            yield opened
        finally:
            chromium.close()
            server.shutdown()
            thread.join()


ENGLISH = (
    "Heron is our new invoice service.",
    "Heron reads every amount through Kestrel.",
    "Kestrel has one maintainer, Ingrid Solberg, who is on leave until September.",
    f"Kestrel shows {HOSTILE} on its dashboard.",
)
CHINESE = (
    "深圳工厂下周开始试产 Lumen。",
    "Lumen 的芯片厂瑞昌电子上周被洪水淹了。",
    "我们决定把 Lumen 的发布会放在杭州。",
)


def _call(memory: Memory, tools: Any, told: tuple[str, ...], query: str, **context: str) -> dict[str, Any]:
    for content in told:
        memory.write(content, force=True)
    arguments = {"query": query, "explain": True}
    answer = tools("memory_search", **arguments)
    assert answer["hits"]
    return {"arguments": arguments, "result": {"content": [], "structuredContent": answer}, "context": context}


def test_recall_is_drawn_with_its_paths_and_terms(memory: Memory, tools: Any, show: Show):
    call = _call(
        memory, tools, ENGLISH, "Why does nobody maintain what Heron reads through?", locale="en-GB", theme="light"
    )
    hits = call["result"]["structuredContent"]["hits"]
    chromium = show(call)
    assert chromium.evaluate("document.documentElement.lang") == "en"
    assert chromium.text().startswith(f"{len(hits)} recalled in")
    labels = chromium.evaluate("[...document.querySelectorAll('g.node')].map(g => g.getAttribute('aria-label'))")
    for hit in hits:
        assert any(label.startswith(hit["content"]) for label in labels), hit["content"]
    names = {step["name"] for hit in hits for step in hit["path"] if step["kind"] == "entity"}
    assert names
    assert {label.partition("\n")[0] for label in labels} >= names
    assert chromium.evaluate("document.querySelectorAll('path.way').length") == len(hits[0]["path"])
    # Of every edge the end stands right of its start: a path is read from the question on.
    steps = chromium.evaluate("[...document.querySelectorAll('path.edge')].map(p => p.getAttribute('d'))")
    for start, end in (re.findall(r"M(\S+) .* (\S+) \S+$", step)[0] for step in steps):
        assert float(end) > float(start)

    best = "[...document.querySelectorAll('g.node')].find(g => g.getAttribute('aria-label').includes('#1 '))"
    chromium.evaluate(f"{best}.dispatchEvent(new MouseEvent('mouseenter'))")
    shown = chromium.evaluate("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")
    assert "relevance" in shown
    counted = [term for term in hits[0]["terms"] if abs(term["contribution"]) > 0.001]
    assert len(counted) > 2
    assert all(f"\n{term['name']}: " in shown for term in counted)
    _picture(chromium, "recall")
    chromium.evaluate(f"{best}.dispatchEvent(new MouseEvent('mouseleave'))")
    assert chromium.evaluate("document.getElementById('tip').hidden") is True
    chromium.leave_frame()
    assert "ui/notifications/size-changed" in chromium.evaluate("seen")
    assert "stolen" not in chromium.evaluate("seen"), "a memory's markup was run"
    assert chromium.evaluate("asked.protocolVersion") == "2026-01-26"
    chromium.close()
    assert {host for host in chromium.reached() if not is_loopback(host)} == set()
    assert not [url for url in chromium.requests if not url.startswith("http://127.0.0.1:")]


def test_recall_in_chinese_is_drawn_in_chinese(memory: Memory, tools: Any, show: Show):
    chromium = show(_call(memory, tools, CHINESE, "Lumen 的发布会在哪里？", locale="zh-CN", theme="dark"))
    assert chromium.evaluate("document.documentElement.lang") == "zh"
    assert "回忆到" in chromium.text()
    assert "发布会" in chromium.text()
    assert chromium.evaluate("document.documentElement.dataset.theme") == "dark"
    drawn = chromium.evaluate("[...document.querySelectorAll('g.node text')].map(t => t.getBBox().width)")
    assert max(drawn) <= 196, "no line is wider than its node"
    _picture(chromium, "recall-chinese")


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"content": [], "structuredContent": {"hits": []}}, "没有回忆到任何内容。"),
        ({"content": [{"type": "text", "text": "no"}], "isError": True}, "调用失败。"),
    ],
    ids=["nothing", "error"],
)
def test_an_answer_without_memories_is_said_in_words(result: dict[str, Any], said: str, show: Show):
    chromium = show({"arguments": {"query": "?"}, "result": result, "context": {"locale": "zh"}}, least=3)
    chromium.wait(f"document.body.innerText.includes('{said}')", said)
    assert chromium.evaluate("document.querySelectorAll('svg').length") == 0


def _picture(chromium: Chromium, name: str) -> None:
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        chromium.picture(Path(folder) / f"{name}.png", height=400)
