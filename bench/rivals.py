"""Rivals: other memories on one LoCoMo conversation, each through its own public interface, without a language model.

    python -m bench.rivals --data FOLDER --work FOLDER [--conversation 0] [--save]

Each is installed into a virtual environment of its own under `--work` and runs there in a process of its own, ours
too, one after another against an engine that nobody else uses, emptied and started anew before each. Where one takes
vectors it gets the very ones that our recall works with. What is handed over and asked is in `rivals_driver.py`.
Needs the network once, for the packages.

Install size is that of the environment as it was installed, without what every environment has and without what only
this bench needs (mem0 takes given vectors through LangChain). The time to the first answer is taken from the start of
the process, over what was filled before, the engine running; the middle one of three. Memory is the most that the
process and its children held together, and what the engine held at the end.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import threading
import time
import venv
from datetime import UTC, datetime
from pathlib import Path

import neo4j
import psutil

from bench.asking import Question, Scores, ingest
from bench.baselines import ask_baselines, rows_of
from bench.locomo import Conversation, conversations
from bench.start import disk_mb
from retrograph.encoders import open_encoder
from retrograph.engine import Engine, EngineAddress
from retrograph.memory import Memory
from retrograph.memory.rows import embedded_text
from retrograph.settings import Settings

OURS = "retrograph"
ROOT = Path(__file__).parent.parent
# What is installed, and what the bench needs beside it.
PACKAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    OURS: (str(ROOT), ()),
    "retrograph, vectors given": (str(ROOT), ()),
    "neo4j-agent-memory": ("neo4j-agent-memory==0.8.0", ()),
    "mcp-neo4j-memory": ("mcp-neo4j-memory==0.4.5", ()),
    "mem0": ("mem0ai==2.2.1", ("langchain>=1,<2",)),
    "chromadb": ("chromadb==1.5.9", ()),
}
NO_ENGINE = ("mem0", "chromadb")
BANK = "rivals"
DEPTH = 20
STARTS = 3
SAMPLE_S = 0.1


def main() -> int:
    """Runs ours and every rival and prints a row for each."""
    parser = argparse.ArgumentParser(prog="python -m bench.rivals", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, required=True, help="for the environments and the engine's data")
    parser.add_argument("--conversation", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=list(PACKAGES), choices=list(PACKAGES))
    parser.add_argument("--first", type=int, help="take only so many turns and questions, to try it out")
    parser.add_argument("--save", action="store_true", help="keep the JSON under bench/results")
    arguments = parser.parse_args()
    work = arguments.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    told = conversations(arguments.data)[arguments.conversation]
    conversation = Conversation(told.name, told.turns[: arguments.first], told.questions[: arguments.first])
    settings = Settings.load(data_dir=work / "engine")
    engine = Engine(settings.engine, data_dir=settings.data_dir, cache_dir=settings.cache_dir)
    given, result, packages = _given(conversation), {}, {}
    lease = engine.lease()
    try:
        for name in arguments.only:
            print(name, file=sys.stderr)
            python, size = _environment(work, name)
            rows, packages[name] = _run(python, name, given, engine, work, conversation)
            result[name] = rows if "failed" in rows else rows | {"install MB": size}
            print(json.dumps({name: result[name]}, ensure_ascii=False), file=sys.stderr)
            if name == OURS and "failed" not in rows:
                result["baselines, R@1/5/10/20"] = _baselines(engine.start(), conversation)
        jars = disk_mb(settings.cache_dir)
    finally:
        lease.close()
        engine.stop(force=True)
    result["run"] = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "conversation": conversation.name,
        "turns": len(conversation.turns),
        "questions": len(conversation.questions),
        "versions": packages,
        "Neo4j's jars, MB": round(jars),
        "load at the end": f"{psutil.getloadavg()[0]:.1f}",
        "machine": f"{psutil.cpu_count()} cores, {psutil.virtual_memory().total / 2**30:.0f} GiB",
    }
    text = json.dumps(result, ensure_ascii=False, indent=1)
    print(text)
    if arguments.save:
        folder = Path(__file__).parent / "results"
        folder.mkdir(exist_ok=True)
        (folder / "rivals.json").write_text(text + "\n", encoding="utf-8")
    return 1 if any("failed" in rows for rows in result.values()) else 0


def _environment(work: Path, name: str) -> tuple[Path, float]:
    """An environment with one of them, and the size of what was installed, MB; made once."""
    package, more = PACKAGES[name]
    folder = work / "venvs" / ("retrograph" if package == str(ROOT) else name)
    python, measured = folder / "bin" / "python", folder / "size.json"
    if not measured.exists():
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        empty = disk_mb(folder)
        install = [python, "-m", "pip", "install", "-q", "--no-compile"]
        subprocess.run([*install, package], check=True)
        size = disk_mb(folder) - empty
        if more:
            subprocess.run([*install, *more], check=True)
        measured.write_text(json.dumps(size), encoding="utf-8")
    elif package == str(ROOT):
        renew = [python, "-m", "pip", "install", "-q", "--no-compile", "--no-deps", "--force-reinstall"]
        subprocess.run([*renew, package], check=True)
    return python, round(json.loads(measured.read_text(encoding="utf-8")))


def _given(conversation: Conversation) -> dict:
    """The turns and questions with our vectors."""
    encoder = open_encoder("bundled")
    texts = [embedded_text(turn.content, speaker=turn.speaker) for turn in conversation.turns]
    vectors = encoder.encode_documents(texts).tolist()
    return {
        "turns": [
            {
                "id": turn.id,
                "speaker": turn.speaker,
                "content": turn.content,
                "text": f"{turn.speaker}: {turn.content}",
                "at": turn.occurred_at.isoformat() if turn.occurred_at else None,
                "session": turn.session,
                "embedded": text,
                "vector": vector,
            }
            for turn, text, vector in zip(conversation.turns, texts, vectors, strict=True)
        ],
        "questions": [
            {"text": q.text, "vector": encoder.encode_query(q.text).tolist()} for q in conversation.questions
        ],
        "depth": DEPTH,
        "bank": BANK,
    }


def _run(
    python: Path, name: str, given: dict, engine: Engine, work: Path, conversation: Conversation
) -> tuple[dict, str]:
    """What one did, and its version."""
    _empty(engine.start())
    engine.stop(force=True)
    address = engine.start()
    signed = {"uri": address.uri, "username": address.username, "password": address.password}
    file = work / "given.json"
    file.write_text(json.dumps(given | {"engine": signed}), encoding="utf-8")
    answer, peak = _driven(python, "fill", name, file, work)
    if "failed" in answer:
        return answer, ""
    engine_mib = 0 if name in NO_ENGINE else (engine.status().rss_bytes or 0) / 2**20
    starts = []
    for _ in range(STARTS):
        started = time.time()
        first, _ = _driven(python, "start", name, file, work)
        if "failed" in first:
            return first, ""
        starts.append(first["answered_at"] - started)
    scores = Scores()
    for question, found in zip(conversation.questions, answer["answers"], strict=True):
        scores.add(Question(question.text, question.gold, question.group), found["ids"], found["seconds"])
    return scores.rows() | scores.latency() | {
        "slowest recall ms": round(1000 * max(scores.seconds), 1),
        "turns/s": round(answer["turns/s"], 1),
        "errors": answer["errors"],
        "process MiB": round(peak),
        "engine MiB": round(engine_mib),
        "start to first answer s": round(statistics.median(starts), 2),
    }, answer["version"]


def _driven(python: Path, mode: str, name: str, given: Path, work: Path) -> tuple[dict, float]:
    """The driver's answer, and the most memory that its process and its children held, MiB."""
    out, log = work / f"{name}.json", work / f"{name}.log"
    out.unlink(missing_ok=True)
    driver = Path(__file__).with_name("rivals_driver.py")
    # Its own folder is not on the path: modules of the bench have names that packages might import.
    command = [python, "-P", driver, mode, name, given, out, work]
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(command, stdout=errors, stderr=errors, cwd=work)
        peak = [0.0]
        watching = threading.Thread(target=_watch, args=(psutil.Process(process.pid), peak))
        watching.start()
        code = process.wait()
        watching.join()
    if code or not out.exists():
        return {"failed": f"exit code {code}; {log}"}, 0.0
    return json.loads(out.read_text(encoding="utf-8")), peak[0]


def _watch(process: psutil.Process, peak: list[float]) -> None:
    while True:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return
            family = [process, *process.children(recursive=True)]
            peak[0] = max(peak[0], sum(each.memory_info().rss for each in family) / 2**20)
        except psutil.NoSuchProcess:
            if not process.is_running():
                return
        time.sleep(SAMPLE_S)


def _baselines(address: EngineAddress, conversation: Conversation) -> dict[str, str]:
    """Of what ours has just stored: telling the turns once more changes nothing and answers their ids."""
    signed = {"uri": address.uri, "username": address.username, "password": address.password}
    found: dict[str, Scores] = {}
    with Memory(Settings.load(bank=BANK, **signed)) as memory:
        _, turn_of = ingest(memory, conversation.turns, label="once more")
        ask_baselines(memory, conversation.questions, turn_of, found)
    return rows_of(found)


def _empty(address: EngineAddress) -> None:
    """Everything out, indexes and constraints too: no rival meets the labels of another."""
    with neo4j.GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
        for row in driver.execute_query("SHOW CONSTRAINTS YIELD name").records:
            driver.execute_query(f"DROP CONSTRAINT `{row['name']}` IF EXISTS")
        for row in driver.execute_query("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'").records:
            driver.execute_query(f"DROP INDEX `{row['name']}` IF EXISTS")


if __name__ == "__main__":
    sys.exit(main())
