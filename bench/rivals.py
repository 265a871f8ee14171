"""Rivals: other memories on one LoCoMo conversation, each through its own public interface, without a language model.

    python -m bench.rivals --data FOLDER --work FOLDER [--conversation 0] [--save]

Makes a virtual environment in `--work`, starts an engine there that nobody else uses, empties it before each rival,
and asks all the questions. Where a rival takes vectors it gets the very ones that our recall works with. What is
handed over and asked is in `rivals_driver.py`. Needs the network once, for the packages.
"""

import argparse
import json
import subprocess
import sys
import venv
from datetime import UTC, datetime
from pathlib import Path

import neo4j

from bench.asking import Question, Scores, ask, ingest
from bench.baselines import ask_baselines, rows_of
from bench.locomo import Conversation, conversations
from retrograph.engine import Engine, EngineAddress
from retrograph.memory import Memory
from retrograph.memory.rows import embedded_text
from retrograph.settings import Settings

PACKAGES = ("neo4j-agent-memory==0.8.0", "mcp-neo4j-memory==0.4.5", "mem0ai==2.2.1", "langchain>=1,<2")
RIVALS = ("neo4j-agent-memory", "mcp-neo4j-memory", "mem0")
DEPTH = 20


def main() -> int:
    """Runs ours and every rival and prints a row for each."""
    parser = argparse.ArgumentParser(prog="python -m bench.rivals", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, required=True, help="for the environment and the engine's data")
    parser.add_argument("--conversation", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=["retrograph", *RIVALS])
    parser.add_argument("--save", action="store_true", help="keep the JSON under bench/results")
    arguments = parser.parse_args()
    conversation = conversations(arguments.data)[arguments.conversation]
    python = _environment(arguments.work / "venv")
    settings = Settings.load(data_dir=arguments.work / "engine")
    engine = Engine(settings.engine, data_dir=settings.data_dir, cache_dir=settings.cache_dir)
    lease, address = engine.lease(), engine.start()
    result: dict = {}
    try:
        ours = Memory(Settings.load(uri=address.uri, username=address.username, password=address.password))
        given = arguments.work / "given.json"
        given.write_text(json.dumps(_given(conversation, ours, address)), encoding="utf-8")
        for name in arguments.only:
            print(name, file=sys.stderr)
            _empty(address)
            if name == "retrograph":
                result |= _ours(ours, conversation)
            else:
                result[name] = _rival(python, name, given, arguments.work, conversation)
            print(json.dumps({name: result.get(name)}, ensure_ascii=False))
        ours.close()
    finally:
        lease.close()
        engine.stop(force=True)
    result["run"] = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "conversation": conversation.name,
        "turns": len(conversation.turns),
        "questions": len(conversation.questions),
        "packages": list(PACKAGES),
    }
    text = json.dumps(result, ensure_ascii=False, indent=1)
    print(text)
    if arguments.save:
        folder = Path(__file__).parent / "results"
        folder.mkdir(exist_ok=True)
        (folder / "rivals.json").write_text(text + "\n", encoding="utf-8")
    return 0


def _environment(folder: Path) -> Path:
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return python


def _given(conversation: Conversation, ours: Memory, address: EngineAddress) -> dict:
    """The turns and questions with our vectors, and where the engine is."""
    encoder = ours._resources.encoder
    texts = [embedded_text(turn.content, speaker=turn.speaker) for turn in conversation.turns]
    return {
        "engine": {"uri": address.uri, "username": address.username, "password": address.password},
        "turns": [
            {"id": t.id, "speaker": t.speaker, "text": f"{t.speaker}: {t.content}", "session": t.session, "vector": v}
            for t, v in zip(conversation.turns, encoder.encode_documents(texts).tolist(), strict=True)
        ],
        "questions": [
            {"text": q.text, "vector": encoder.encode_query(q.text).tolist()} for q in conversation.questions
        ],
        "depth": DEPTH,
    }


def _ours(ours: Memory, conversation: Conversation) -> dict:
    ours._resources.close()
    ours.warm()
    report, turn_of = ingest(ours, conversation.turns, label="retrograph")
    scores, baselines = Scores(), {}
    ask(ours, conversation.questions, turn_of, scores, preset="retrograph")
    ask_baselines(ours, conversation.questions, turn_of, baselines)
    rows = scores.rows() | scores.latency() | {"turns/s": round(report.total / report.seconds, 1)}
    return {"retrograph": rows, "baselines, R@1/5/10/20": rows_of(baselines)}


def _rival(python: Path, name: str, given: Path, work: Path, conversation: Conversation) -> dict:
    driver = Path(__file__).with_name("rivals_driver.py")
    out = work / f"{name}.json"
    out.unlink(missing_ok=True)
    log = work / f"{name}.log"
    with log.open("w", encoding="utf-8") as errors:
        done = subprocess.run([python, driver, name, given, out, work], stdout=errors, stderr=errors, check=False)
    if done.returncode or not out.exists():
        return {"failed": f"exit code {done.returncode}; {log}"}
    answer = json.loads(out.read_text(encoding="utf-8"))
    scores = Scores()
    for question, found in zip(conversation.questions, answer["answers"], strict=True):
        scores.add(Question(question.text, question.gold, question.group), found["ids"], found["seconds"])
    return scores.rows() | scores.latency() | {"turns/s": round(answer["turns/s"], 1), "errors": answer["errors"]}


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
