"""Drives one rival, in the rival's own environment: nothing of ours is imported here.

    python rivals_driver.py NAME GIVEN.json OUT.json WORK_FOLDER

Every turn is written as `Speaker: text`, every question asked as it stands, at most `depth` results taken.
An error of a search counts as no result and is counted.
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path


def main() -> None:
    """Runs the driver that the arguments name."""
    name, given, out, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4])
    data = json.loads(given.read_text(encoding="utf-8"))
    answer = asyncio.run(DRIVERS[name](data, work))
    out.write_text(json.dumps(answer), encoding="utf-8")


async def _asked(data: dict, search, written: float) -> dict:
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


async def neo4j_agent_memory(data: dict, work: Path) -> dict:
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
        started = time.perf_counter()
        sessions: dict[str, list[dict]] = {}
        for turn in data["turns"]:
            message = {"role": "user", "content": turn["text"], "metadata": {"turn": turn["id"]}}
            sessions.setdefault(turn["session"], []).append(message)
        for session, messages in sessions.items():
            await client.short_term.add_messages_batch(session, messages, extract_entities=False)
        written = time.perf_counter() - started

        async def search(text: str) -> list[str]:
            found = await client.short_term.search_messages(text, limit=data["depth"], threshold=0.0)
            return [message.metadata["turn"] for message in found]

        return await _asked(data, search, written)


async def mcp_neo4j_memory(data: dict, work: Path) -> dict:
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
        started = time.perf_counter()
        entities = [{"name": t["id"], "type": "message", "observations": [t["text"]]} for t in data["turns"]]
        for start in range(0, len(entities), 64):
            await client.call_tool("create_entities", {"entities": entities[start : start + 64]})
        written = time.perf_counter() - started

        async def search(text: str) -> list[str]:
            found = await client.call_tool("search_memories", {"query": text})
            return [entity["name"] for entity in found.structured_content["entities"]]

        return await _asked(data, search, written)


async def mem0(data: dict, work: Path) -> dict:
    """mem0 with its local Qdrant, texts stored as they are (`infer=False`); not on Neo4j."""
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(work / "mem0"), "OPENAI_API_KEY": "none"}
    import shutil

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
    started = time.perf_counter()
    for turn in data["turns"]:
        memory.add(
            [{"role": "user", "content": turn["text"]}], user_id="all", infer=False, metadata={"turn": turn["id"]}
        )
    written = time.perf_counter() - started

    async def search(text: str) -> list[str]:
        found = memory.search(text, top_k=data["depth"], filters={"user_id": "all"}, threshold=0.0)
        return [item["metadata"]["turn"] for item in found["results"]]

    return await _asked(data, search, written)


def _vectors(data: dict) -> dict[str, list[float]]:
    return {row["text"]: row["vector"] for row in (*data["turns"], *data["questions"])}


DRIVERS = {"neo4j-agent-memory": neo4j_agent_memory, "mcp-neo4j-memory": mcp_neo4j_memory, "mem0": mem0}

if __name__ == "__main__":
    main()
