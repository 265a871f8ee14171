"""Write the lock file of the local engine's jars: repository path, size and sha256 of each.

    python tools/lock_engine.py 2026.08.1 --browser 5.24.0

Maven resolves the dependencies, because it is what Neo4j itself is built with: its mediation of versions
gives the class path Neo4j was tested on, it checks every file against the repository's checksum (`-C`: a
wrong one fails the run), and its repository layout is the path a jar has on every mirror. PyPI's `jgo` does
the same without Maven, but re-implements that mediation and is several times slower with a cold cache.

Needs `mvn` on PATH. The order is that of the paths, so that two runs write the same bytes.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src/retrograph/engine/neo4j.lock.json"
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>lock</groupId><artifactId>lock</artifactId><version>1</version><dependencies>
<dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{neo4j}</version></dependency>
<dependency><groupId>org.neo4j.client</groupId><artifactId>neo4j-browser</artifactId><version>{browser}</version>
</dependency></dependencies></project>
"""


def copy_jars(neo4j: str, browser: str, folder: Path) -> Path:
    """Let Maven copy every jar, in repository layout, into a folder.

    Args:
        neo4j: Version of org.neo4j:neo4j.
        browser: Version of org.neo4j.client:neo4j-browser.
        folder: An empty folder to work in.

    Returns:
        The root of the repository layout.
    """
    (folder / "pom.xml").write_text(POM.format(neo4j=neo4j, browser=browser), encoding="utf-8")
    jars = folder / "jars"
    subprocess.run(
        [
            "mvn", "-B", "-q", "-C", f"{PLUGIN}:copy-dependencies",
            "-Dmdep.useRepositoryLayout=true", "-DincludeScope=runtime", f"-DoutputDirectory={jars}",
        ],
        cwd=folder,
        check=True,
    )  # fmt: skip
    return jars


def lock_text(neo4j: str, browser: str, jars: Path) -> str:
    """Describe the jars of a folder, one line each, in the order of their paths.

    Args:
        neo4j: Version to note.
        browser: Version to note.
        jars: The root of a repository layout.

    Returns:
        JSON text.
    """
    paths = sorted(path.relative_to(jars).as_posix() for path in jars.rglob("*.jar"))
    lines = [
        json.dumps(
            {
                "path": path,
                "size": (jars / path).stat().st_size,
                "sha256": hashlib.sha256((jars / path).read_bytes()).hexdigest(),
            }
        )
        for path in paths
    ]
    body = ",\n".join(f"    {line}" for line in lines)
    return f'{{\n  "neo4j": "{neo4j}",\n  "browser": "{browser}",\n  "jars": [\n{body}\n  ]\n}}\n'


def main() -> int:
    """Resolve, describe, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("neo4j", help="version of org.neo4j:neo4j, such as 2026.08.1")
    parser.add_argument("--browser", default="5.24.0", help="version of org.neo4j.client:neo4j-browser")
    parser.add_argument("--output", type=Path, default=TARGET, help="lock file to write")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        jars = copy_jars(arguments.neo4j, arguments.browser, Path(folder))
        text = lock_text(arguments.neo4j, arguments.browser, jars)
    arguments.output.write_text(text, encoding="utf-8")
    print(f"{arguments.output}: {text.count('sha256')} jars", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
