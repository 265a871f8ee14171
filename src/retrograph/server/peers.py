"""Where a request comes from."""

from ipaddress import ip_address

from starlette.requests import Request

_PASSED_ON = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_this_machine(request: Request) -> bool:
    """Whether a request was made on this machine: what a proxy on it passed on was not."""
    is_near = request.client is not None and is_loopback(request.client.host)
    return is_near and not any(name in request.headers for name in _PASSED_ON)
