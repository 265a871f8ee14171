"""Traces: FastMCP's own spans are replaced by ours, and sent only where the settings say where to."""

import atexit
from typing import TYPE_CHECKING

import fastmcp
from opentelemetry import trace

from retrograph import __version__
from retrograph.errors import SettingsError

if TYPE_CHECKING:
    from retrograph.settings import Settings


def own_spans_only() -> None:
    """Has FastMCP take up a caller's trace and make no spans of its own.

    Its spans hold the addresses of resources and the words of errors, in which names and contents stand.
    """
    fastmcp.settings.telemetry_mode = "propagation_only"


def send_traces(settings: "Settings") -> None:
    """Sends spans to `server.traces_url`; does nothing without it.

    The further settings of OpenTelemetry (`OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME`, …) hold.

    Raises:
        SettingsError: The packages of `retrograph[otel]` are not installed.
    """
    url = settings.server.traces_url
    if not url:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise SettingsError(
            "the setting server.traces_url needs packages that are not installed",
            cure="Install them with `pip install 'retrograph[otel]'`, or leave server.traces_url unset.",
        ) from error
    endpoint = url if url.endswith("/v1/traces") else f"{url.rstrip('/')}/v1/traces"
    named = Resource.create({"service.name": "retrograph", "service.version": __version__})
    provider = TracerProvider(resource=named, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    trace.set_tracer_provider(provider)
    atexit.register(provider.shutdown)
