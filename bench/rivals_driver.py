"""Drives one memory, in an environment where that one alone is installed; nothing of the bench is imported here.

    python rivals_driver.py fill|start NAME GIVEN.json OUT.json WORK_FOLDER

`fill` writes every turn, as `Speaker: text` where there is no better way, and asks every question as it stands, at
most `depth` results taken. `start` opens what was filled and asks one question: it tells when the answer was there.
An error of a search counts as no result and is counted.
"""

import asyncio
import contextlib
import json
import os
import shutil
import sys
import time
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any


def main() -> None:
    """Runs the driver that the arguments name."""
    mode, name, given, out, work = sys.argv[1], sys.argv[2], *map(Path, sys.argv[3:6])
    data = json.loads(given.read_text(encoding="utf-8"))
    opened, package = DRIVERS[name]
    answer = asyncio.run((_filled if mode == "fill" else _started)(opened, data, work))
    out.write_text(json.dumps(answer | {"version": version(package)}), encoding="utf-8")


async def _filled(opened: Callable, data: dict, work: Path) -> dict:
    async with opened(data, work, is_new=True) as (write, search):
        started = time.perf_counter()
        await write()
        written = time.perf_counter() - started
        answers, errors = [], []
        for question in data["questions"]:
            started = time.perf_counter()
            try:
                ids = await search(question["text"])
            except Exception as error:  # noqa: BLE001 - whatever a rival raises is an answer about it
                ids = []
                errors.append(str(error)[:200])
            answers.append({"ids": ids[: data["depth"]], "seconds": time.perf_counter() - started})
        print(errors[:5])
    return {"answers": answers, "turns/s": len(data["turns"]) / written, "errors": len(errors)}


async def _started(opened: Callable, data: dict, work: Path) -> dict:
    async with opened(data, work, is_new=False) as (_, search):
        found = await search(data["questions"][0]["text"])
        return {"answered_at": time.time(), "results": len(found)}


@contextlib.asynccontextmanager
async def ours(data: dict, work: Path, *, is_new: bool, vectors: dict[str, list[float]] | None = None) -> AsyncIterator:
    """Retrograph's facade as it comes: it extracts, and encodes turns and questions itself."""
    import retrograph
    from retrograph.models import Turn

    at = data["engine"]
    with retrograph.open(bank=data["bank"], **at) as memory:
        if vectors is not None:
            memory._resources._encoder = _given_to_ours(memory._resources.encoder, vectors)
        if is_new:
            memory.warm()

        async def write() -> None:
            memory.ingest(
                Turn(
                    content=t["content"],
                    speaker=t["speaker"],
                    session=t["session"],
                    occurred_at=datetime.fromisoformat(t["at"]),
                    id=t["id"],
                )
                for t in data["turns"]
            )

        async def search(text: str) -> list[str]:
            found = memory.search(text, limit=data["depth"], diversity=False)
            return [str((hit.memory.metadata or {}).get("source_id", "")) for hit in found.hits]

        yield write, search


@contextlib.asynccontextmanager
async def ours_given(data: dict, work: Path, *, is_new: bool) -> AsyncIterator:
    """The same with the vectors handed over, as the rivals get them; there is no public way for that."""
    vectors = {t["embedded"]: t["vector"] for t in data["turns"]} | {q["text"]: q["vector"] for q in data["questions"]}
    async with ours(data, work, is_new=is_new, vectors=vectors) as opened:
        yield opened


def _given_to_ours(encoder: Any, vectors: dict[str, list[float]]) -> Any:
    import numpy as np

    class Given:
        name, dimensions, calibration = encoder.name, encoder.dimensions, encoder.calibration

        def warm(self) -> None: ...

        def encode_documents(self, texts: list[str]) -> Any:
            return np.array([vectors[text] for text in texts], dtype=np.float32)

        def encode_query(self, text: str) -> Any:
            # Warming asks for a text of its own; which vector that has does not matter.
            return self.encode_documents([next(iter(vectors)) if text == "warm" else text])[0]

    return Given()


@contextlib.asynccontextmanager
async def neo4j_agent_memory(data: dict, work: Path, *, is_new: bool) -> AsyncIterator:
    """Messages in sessions, batch ingest, `search_messages` over all sessions; no extraction, which needs a model."""
    from neo4j_agent_memory import MemoryClient, MemorySettings
    from neo4j_agent_memory.config.settings import ExtractionConfig, ExtractorType, Neo4jConfig
    from pydantic import SecretStr

    vectors = _vectors(data)

    class Given:
        dimensions = len(data["turns"][0]["vector"])

        async def embed(self, text: str) -> list[float]:
            return vectors[text]

        async def embed_batch(self, texts: list[str]) -> list[list[float]]:
            return [vectors[text] for text in texts]

    at = data["engine"]
    settings = MemorySettings(
        neo4j=Neo4jConfig(uri=at["uri"], username=at["username"], password=SecretStr(at["password"])),
        extraction=ExtractionConfig(extractor_type=ExtractorType.NONE),
        llm=None,
    )
    async with MemoryClient(settings, embedder=Given()) as client:

        async def write() -> None:
            sessions: dict[str, list[dict]] = {}
            for turn in data["turns"]:
                message = {"role": "user", "content": turn["text"], "metadata": {"turn": turn["id"]}}
                sessions.setdefault(turn["session"], []).append(message)
            for session, messages in sessions.items():
                await client.short_term.add_messages_batch(session, messages, extract_entities=False)

        async def search(text: str) -> list[str]:
            found = await client.short_term.search_messages(text, limit=data["depth"], threshold=0.0)
            return [message.metadata["turn"] for message in found]

        yield write, search


@contextlib.asynccontextmanager
async def mcp_neo4j_memory(data: dict, work: Path, *, is_new: bool) -> AsyncIterator:
    """Its MCP server over stdio: an entity a turn with the turn as its observation; `search_memories`."""
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    at = data["engine"]
    server = StdioTransport(
        str(Path(sys.executable).with_name("mcp-neo4j-memory")),
        ["--db-url", at["uri"], "--username", at["username"], "--transport", "stdio"],
        env=os.environ | {"NEO4J_PASSWORD": at["password"]},
    )
    async with Client(server) as client:

        async def write() -> None:
            entities = [{"name": t["id"], "type": "message", "observations": [t["text"]]} for t in data["turns"]]
            for start in range(0, len(entities), 64):
                await client.call_tool("create_entities", {"entities": entities[start : start + 64]})

        async def search(text: str) -> list[str]:
            found = await client.call_tool("search_memories", {"query": text})
            return [entity["name"] for entity in found.structured_content["entities"]]

        yield write, search


@contextlib.asynccontextmanager
async def mem0(data: dict, work: Path, *, is_new: bool) -> AsyncIterator:
    """mem0 with its local Qdrant, texts stored as they are (`infer=False`); not on Neo4j."""
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(work / "mem0"), "OPENAI_API_KEY": "none"}
    if is_new:
        shutil.rmtree(work / "mem0", ignore_errors=True)
    from langchain_core.embeddings import Embeddings
    from mem0 import Memory

    vectors = _vectors(data)

    class Given(Embeddings):
        def embed_query(self, text: str) -> list[float]:
            return vectors[text]

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [vectors[text] for text in texts]

    size = len(data["turns"][0]["vector"])
    store = {"path": str(work / "mem0" / "qdrant"), "embedding_model_dims": size, "on_disk": True}
    memory = Memory.from_config(
        {
            "embedder": {"provider": "langchain", "config": {"model": Given()}},
            "vector_store": {"provider": "qdrant", "config": store},
        }
    )

    async def write() -> None:
        for turn in data["turns"]:
            said = [{"role": "user", "content": turn["text"]}]
            memory.add(said, user_id="all", infer=False, metadata={"turn": turn["id"]})

    async def search(text: str) -> list[str]:
        found = memory.search(text, top_k=data["depth"], filters={"user_id": "all"}, threshold=0.0)
        return [item["metadata"]["turn"] for item in found["results"]]

    yield write, search


@contextlib.asynccontextmanager
async def chromadb(data: dict, work: Path, *, is_new: bool) -> AsyncIterator:
    """A plain vector store on disk, as many memories have inside: what a memory has to be better than."""
    if is_new:
        shutil.rmtree(work / "chromadb", ignore_errors=True)
    from chromadb import PersistentClient, Settings

    client = PersistentClient(str(work / "chromadb"), settings=Settings(anonymized_telemetry=False))
    turns = client.get_or_create_collection("turns", embedding_function=None, metadata={"hnsw:space": "cosine"})
    vectors = _vectors(data)

    async def write() -> None:
        for start in range(0, len(data["turns"]), 64):
            batch = data["turns"][start : start + 64]
            turns.add(
                ids=[t["id"] for t in batch],
                documents=[t["text"] for t in batch],
                embeddings=[t["vector"] for t in batch],
            )

    async def search(text: str) -> list[str]:
        return turns.query(query_embeddings=[vectors[text]], n_results=data["depth"])["ids"][0]

    yield write, search


def _vectors(data: dict) -> dict[str, list[float]]:
    return {row["text"]: row["vector"] for row in (*data["turns"], *data["questions"])}


DRIVERS: dict[str, tuple[Callable[..., Any], str]] = {
    "retrograph": (ours, "retrograph"),
    "retrograph, vectors given": (ours_given, "retrograph"),
    "neo4j-agent-memory": (neo4j_agent_memory, "neo4j-agent-memory"),
    "mcp-neo4j-memory": (mcp_neo4j_memory, "mcp-neo4j-memory"),
    "mem0": (mem0, "mem0ai"),
    "chromadb": (chromadb, "chromadb"),
}
"""How each is opened, and its package."""

if __name__ == "__main__":
    main()
