"""From an encoder's name in the settings to the encoder."""

from retrograph.encoders.bundled import BundledEncoder
from retrograph.encoders.protocol import Encoder
from retrograph.errors import EncoderError


def open_encoder(spec: str, *, api_key: str | None = None, timeout_s: float = 30) -> Encoder:
    """Make the encoder a setting names; nothing is loaded or asked before the first use.

    Args:
        spec: `bundled`, `sentence-transformers:<model or folder>` or `openai:<url>#<model>`.
        api_key: Key of an `openai:` encoder.
        timeout_s: How long one request to an endpoint may take, seconds.

    Raises:
        EncoderError: The name is none of these.
    """
    if spec in ("bundled", BundledEncoder.name):
        return BundledEncoder()
    raise EncoderError(
        f"no encoder is called {spec!r}",
        cure="Use `bundled`, `sentence-transformers:<model>` or `openai:<url>#<model>`.",
    )
