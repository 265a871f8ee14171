# The Retrograph server. Language models and the encoder come with the Python packages: nothing is fetched at start.
ARG PYTHON_IMAGE=python:3.13.7-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/retrograph && /opt/retrograph/bin/pip install --only-binary=:all: --no-binary=retrograph .

FROM ${PYTHON_IMAGE}
RUN useradd --create-home --uid 10001 --shell /usr/sbin/nologin retrograph
COPY --from=build /opt/retrograph /opt/retrograph
ENV PATH=/opt/retrograph/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10001
WORKDIR /home/retrograph
EXPOSE 8765
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8765/health/live', timeout=4)"]
# The token every request must carry comes from RETROGRAPH_SERVER_TOKEN; without one the server does not start.
CMD ["retrograph", "serve", "--transport", "http", "--host", "0.0.0.0", "--port", "8765"]
