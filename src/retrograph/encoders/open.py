"""From an encoder's name in the settings to the encoder."""

from retrograph.encoders.bundled import BundledEncoder
from retrograph.encoders.openai import OpenAIEncoder
from retrograph.encoders.protocol import Encoder
from retrograph.encoders.sentence_transformers import SentenceTransformersEncoder
from retrograph.errors import EncoderError


def open_encoder(spec: str, *, api_key: str | None = None, timeout_s: float = 30) -> Encoder:
    """Make the encoder a setting names; nothing is loaded or asked before the first use.

    Args:
        spec: `bundled`, `sentence-transformers:<model or folder>` or `openai:<url>#<model>`; an encoder's own
            `name` is a spec too.
        api_key: Key of an `openai:` encoder.
        timeout_s: How long one request to an endpoint may take, seconds.

    Raises:
        EncoderError: The name is none of these.
    """
    kind, _, rest = spec.partition(":")
    if spec in ("bundled", BundledEncoder.name):
        return BundledEncoder()
    if kind == "sentence-transformers" and rest:
        return SentenceTransformersEncoder(rest)
    url, _, model = rest.rpartition("#")
    if kind == "openai" and url and model:
        return OpenAIEncoder(url, model, api_key=api_key, timeout_s=timeout_s)
    raise EncoderError(
        f"no encoder is called {spec!r}",
        cure="Use `bundled`, `sentence-transformers:<model>` or `openai:<url>#<model>`.",
    )
