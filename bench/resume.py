"""Resume: ten thousand turns by the command line, killed half-way, taken up again, and told once more.

The process that ingests is killed outright (SIGKILL); the engine lives on. After the second run everything is there
once; the third run changes nothing, which a fingerprint of the whole bank shows.
"""

import argparse
import hashlib
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import retrograph
from bench.asking import bank_of
from bench.ingest import SEED, made_turns
from retrograph.cypher import CypherQuery
from retrograph.memory import Memory
from retrograph.models import Turn

TURNS = 10_000
KILLED_AT = 0.4
_COUNT = "MATCH (m:Memory {bank: $bank}) RETURN count(m) AS memories"
_DUMP = """
MATCH (m:Memory {bank: $bank})
RETURN m.id + toString(m.source_count) + toString(m.updated_at) + m.context + m.filter_tokens + reduce(
  text = '', edge IN COLLECT { MATCH (m)-[r]->(n) RETURN type(r) + coalesce(n.id, n.key, '') AS e ORDER BY e }
  | text + edge) AS row
ORDER BY m.id
"""


def measure(folder: Path, arguments: argparse.Namespace) -> dict:
    """Kills an ingest at two fifths, resumes it, and runs it once more."""
    del folder
    count = arguments.take if arguments.take > 1 else TURNS
    with retrograph.open() as memory, tempfile.TemporaryDirectory() as place:
        memory.warm()
        bank = bank_of(memory, "bench-resume")
        file = Path(place) / "turns.jsonl"
        file.write_text("".join(as_line(turn) for turn in made_turns(count, random.Random(SEED))), encoding="utf-8")
        killed_after, stored = _killed(file, bank, at=int(count * KILLED_AT))
        resumed, seconds = _run(file, bank)
        after = _count(bank)
        before = _fingerprint(bank)
        again, seconds_again = _run(file, bank)
        return {
            "resume": {
                "turns": count,
                "killed after s": round(killed_after, 1),
                "stored when it was killed": stored,
                "resumed: unchanged": resumed["unchanged"],
                "resumed: stored or merged": resumed["stored"] + resumed["merged"],
                "resumed: s": round(seconds, 1),
                "memories after": after,
                "told again: unchanged": again["unchanged"],
                "told again: memories": _count(bank),
                "told again: graph changed": _fingerprint(bank) != before,
                "told again: s": round(seconds_again, 1),
            }
        }


def as_line(turn: Turn, *, prefix: str = "") -> str:
    """A turn as a line of JSON; the prefix goes before its id and its session."""
    told = {
        "content": turn.content,
        "speaker": turn.speaker,
        "session": f"{prefix}{turn.session}",
        "occurred_at": turn.occurred_at.isoformat() if turn.occurred_at else None,
        "id": f"{prefix}{turn.id}",
    }
    return json.dumps(told, ensure_ascii=False) + "\n"


def _start(file: Path, bank: Memory) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "retrograph", "ingest", str(file), "--bank", bank.identity.bank, "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def _killed(file: Path, bank: Memory, *, at: int) -> tuple[float, int]:
    started = time.perf_counter()
    process = _start(file, bank)
    while _count(bank) < at:
        if process.poll() is not None:
            raise RuntimeError("the ingest ended before it could be killed")
        time.sleep(0.2)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return time.perf_counter() - started, _count(bank)


def _run(file: Path, bank: Memory) -> tuple[dict, float]:
    started = time.perf_counter()
    answer, _ = _start(file, bank).communicate()
    return json.loads(answer), time.perf_counter() - started


def _count(bank: Memory) -> int:
    return _ask(bank, _COUNT)[0]["memories"]


def _fingerprint(bank: Memory) -> str:
    rows = "\n".join(row["row"] for row in _ask(bank, _DUMP))
    return hashlib.sha256(rows.encode()).hexdigest()


def _ask(bank: Memory, text: str) -> list[dict]:
    query = CypherQuery(
        name="bench", purpose="", text=f"CYPHER 25 {text}", mode="read", params={"bank": "STRING"}, returns={}
    )
    return bank._resources.graph.run(query, bank=bank.identity.bank)
