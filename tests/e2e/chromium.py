"""A headless Chromium for tests: opens a page, types, clicks, takes pictures, and logs every connection it made."""

import base64
import ipaddress
import itertools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from websockets.sync.client import connect

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-extensions --disable-default-apps --mute-audio "
    "--disable-dev-shm-usage --remote-debugging-port=0 --window-size=1360,860 --lang=en "
    "--disable-features=IsolateSandboxedIframes"
).split()


def find_chromium() -> str | None:
    """The program, or None."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


class Chromium:
    """One browser with one page; `close` ends it and reads what it connected to."""

    def __init__(self, program: str, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.log = folder / "net.json"
        self.requests: list[str] = []
        self.blocked: list[str] = []
        self._urls: dict[str, str] = {}
        self._contexts: dict[str, int] = {}
        self._context: dict[str, int] = {}
        self._numbers = itertools.count(1)
        profile = folder / "profile"
        self._ending = ExitStack()
        self._process = subprocess.Popen(
            [program, *_FLAGS, f"--user-data-dir={profile}", f"--log-net-log={self.log}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)},
        )
        self._ending.callback(self._end_process)
        try:
            port = until(lambda: (profile / "DevToolsActivePort").exists() and _port(profile))
            with urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
                pages = json.load(answer)
            url = next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
            self._socket = self._ending.enter_context(connect(url, max_size=None, compression=None))
        except BaseException:
            self._ending.close()
            raise
        for domain in ("Page", "Network", "Runtime"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the DevTools protocol, and its answer."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            told = json.loads(self._socket.recv(timeout=60))
            if told.get("id") == number:
                assert "error" not in told, told
                return told["result"]
            self._note(told)

    def open(self, url: str) -> None:
        self.send("Page.navigate", url=url)

    def evaluate(self, script: str) -> Any:
        """What a script of the page comes to."""
        told = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, **self._context)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def enter_frame(self, ending: str) -> None:
        """From now on scripts run in the frame whose address ends so."""

        def found() -> int | None:
            frames = self.send("Page.getFrameTree")["frameTree"].get("childFrames", [])
            ids = [frame["frame"]["id"] for frame in frames if frame["frame"]["url"].endswith(ending)]
            return self._contexts.get(ids[0]) if ids else None

        self._context = {"contextId": until(found)}

    def leave_frame(self) -> None:
        """From now on scripts run in the page again."""
        self._context = {}

    def wait(self, script: str, what: str, *, timeout_s: float = 120) -> Any:
        """Waits until a script comes to something true."""
        return until(
            lambda: self.evaluate(f"(() => {{ try {{ return {script} }} catch {{ return null }} }})()"),
            what=lambda: f"{what}: {self.text()[:2000]}",
            timeout_s=timeout_s,
        )

    def text(self) -> str:
        """What the page shows."""
        return self.evaluate("document.body ? document.body.innerText : ''") or ""

    def click(self, script: str) -> None:
        """Clicks the middle of the element that a script finds, as a mouse does."""
        box = self.wait(
            f"(() => {{ const e = {script}; if (!e) return null; e.scrollIntoView({{block: 'center'}});"
            " const b = e.getBoundingClientRect();"
            " return b.width ? [b.x + b.width / 2, b.y + b.height / 2] : null; })()",
            script,
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def type(self, text: str) -> None:
        self.send("Input.insertText", text=text)

    def press(self, key: str, *, code: int, modifiers: int = 0) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=modifiers
            )

    def drop(self, file: Path) -> None:
        """Drops a file onto the middle of the page."""
        data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.send("Input.dispatchDragEvent", type=kind, x=900, y=400, data=data)

    def picture(self, path: Path, *, height: int = 720) -> None:
        """A picture of what is seen at the top."""
        clip = {"x": 0, "y": 0, "width": 1360, "height": height, "scale": 1}
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png", clip=clip)["data"]))

    def close(self) -> None:
        """Ends the browser, which writes its log of the network."""
        if self._process.poll() is None:
            self.send("Browser.close")
            self._process.wait(timeout=30)
        self._ending.close()

    def _end_process(self) -> None:
        self._process.kill()
        self._process.wait()

    def reached(self) -> set[str]:
        """Hosts that pages opened a connection to, from Chromium's own log of the network; after `close`.

        What the program asks for on its own account (updates, the time) has no page as its origin and is left out.
        """
        log = json.loads(self.log.read_text())
        start = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
        jobs = [
            event["params"] for event in log["events"] if event["type"] == start and "url" in event.get("params", {})
        ]
        pages = [job for job in jobs if job.get("initiator") != "not an origin"]
        assert pages, "the log holds no request of a page"
        return {urlsplit(job["url"]).hostname or "" for job in pages}

    def _note(self, told: dict[str, Any]) -> None:
        params = told.get("params", {})
        if told["method"] == "Runtime.executionContextCreated":
            context = params["context"]
            if context.get("auxData", {}).get("isDefault"):
                self._contexts[context["auxData"]["frameId"]] = context["id"]
        elif told["method"] == "Network.requestWillBeSent":
            self._urls[params["requestId"]] = params["request"]["url"]
            self.requests.append(params["request"]["url"])
        elif told["method"] == "Network.webSocketCreated":
            self.requests.append(params["url"])
        elif told["method"] == "Network.loadingFailed" and params.get("blockedReason") == "csp":
            self.blocked.append(self._urls.get(params["requestId"], ""))


def until(check: Callable[[], Any], *, what: Callable[[], str] = lambda: "", timeout_s: float = 60) -> Any:
    """Asks again until there is an answer."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if found := check():
            return found
        time.sleep(0.1)
    raise AssertionError(f"it did not come to be: {what()}")


def is_loopback(host: str) -> bool:
    """Whether an address or a name is this machine's own."""
    if host in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _port(profile: Path) -> str:
    lines = (profile / "DevToolsActivePort").read_text().splitlines()
    return lines[0] if lines else ""
