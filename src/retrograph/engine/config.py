"""Neo4j's configuration: loopback, quiet, small."""

from retrograph.engine.paths import EnginePaths, write_private

# Neo4j Browser's own page calls fonts and statistics on other hosts; this lets it talk to this machine alone.
# `http://localhost:*` is for a guide or a style that Retrograph serves it from a port of its own.
_BROWSER_POLICY = (
    "default-src 'self'; script-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "font-src 'self' data:; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; "
    "connect-src 'self' ws://127.0.0.1:{bolt} http://127.0.0.1:{bolt} ws://localhost:{bolt} "
    "http://localhost:{bolt} http://localhost:*"
)


def neo4j_settings(*, bolt_port: int, http_port: int, page_cache_mib: int) -> dict[str, str]:
    """Every setting that differs from Neo4j's default.

    Args:
        bolt_port: Port of Bolt.
        http_port: Port of Neo4j Browser.
        page_cache_mib: Page cache, MiB.
    """
    return {
        "server.default_listen_address": "127.0.0.1",
        "server.default_advertised_address": "127.0.0.1",
        "server.bolt.listen_address": f"127.0.0.1:{bolt_port}",
        # Neo4j Browser's sign-in form and routing drivers are told these.
        "server.bolt.advertised_address": f"127.0.0.1:{bolt_port}",
        "server.http.listen_address": f"127.0.0.1:{http_port}",
        "server.http.advertised_address": f"127.0.0.1:{http_port}",
        "server.https.enabled": "false",
        "server.http.x_forward.enabled": "false",
        # Any page of another origin could use an open Bolt port through a websocket.
        "dbms.security.auth_enabled": "true",
        "dbms.security.allow_csv_import_from_file_urls": "false",
        "dbms.security.http_static_content_security_policy_header": _BROWSER_POLICY.format(bolt=bolt_port),
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        "server.fleet_discovery.enabled": "false",
        "dbms.fleet_manager.enabled": "false",
        "server.memory.pagecache.size": f"{page_cache_mib}m",
        # Logs are for recovery alone: nobody replays them, and by default they outgrow the data.
        "db.tx_log.rotation.size": "64m",
        "db.tx_log.rotation.retention_policy": "64m size",
        # A search goes through each part of a vector index; by default fifty of a size wait to be made one.
        "internal.dbms.index.vector.standard_merge_factor": "10",
        # Clients on this machine need no notice; the defaults make an idle server take 16 s to stop.
        "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s",
        "internal.dbms.bolt.netty_server_shutdown_timeout": "1s",
        "internal.server.bolt.thread_pool_shutdown_wait_time": "1s",
        "internal.server.bolt.connection_shutdown_wait_time": "1s",
    }


def write_config(paths: EnginePaths, settings: dict[str, str]) -> None:
    """Write neo4j.conf."""
    lines = ["# Written anew at each start by Retrograph."]
    lines += [f"{name}={value}" for name, value in settings.items()]
    write_private(paths.conf / "neo4j.conf", "\n".join(lines) + "\n")
