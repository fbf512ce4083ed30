# syntax=docker/dockerfile:1
# Everything of Steward in one image: `up` (with the embedded PostgreSQL), `api`, `worker`, `migrate` and the commands of users.

FROM python:3.11.14-slim-bookworm AS build
WORKDIR /build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
RUN python -m venv /opt/steward
COPY requirements-build.txt requirements-extras.txt requirements-node.txt ./
RUN /opt/steward/bin/python -m pip install --require-hashes -r requirements-extras.txt \
    && python -m pip install --require-hashes -r requirements-build.txt -r requirements-node.txt
# The browser files of others, as package-lock.json pins them.
COPY package.json package-lock.json .npmrc ./
COPY scripts scripts
RUN python -m scripts.vendor run
COPY pyproject.toml README.md LICENSE ./
COPY clients/python clients/python
COPY src src
RUN python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . ./clients/python \
    && /opt/steward/bin/python -m pip install --no-deps /wheels/*.whl \
    && /opt/steward/bin/python -m pip uninstall --yes pip setuptools


FROM python:3.11.14-slim-bookworm
LABEL org.opencontainers.image.title="Steward" \
      org.opencontainers.image.description="Facility and asset operations: REST API, web app and worker over PostgreSQL" \
      org.opencontainers.image.licenses="Apache-2.0"
# A fixed number, so that volumes and secrets can be given to it, and Kubernetes sees that it isn't root.
RUN groupadd --gid 10001 steward \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin steward \
    && install --directory --owner=10001 --group=10001 --mode=0700 /data
COPY --from=build /opt/steward /opt/steward
COPY deploy/container/healthcheck.py /opt/steward/healthcheck.py
# In a container everybody comes over the network, Prometheus included; who may is up to the network. Nothing is written
# but to /data (the embedded database and a generated secret key: give it a volume) and to /dev/shm, so the root may be
# read-only.
ENV PATH=/opt/steward/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    STEWARD_DATA_DIR=/data \
    STEWARD_HOST=0.0.0.0 \
    STEWARD_METRICS_ADDRESS=0.0.0.0:9464
USER 10001:10001
WORKDIR /data
EXPOSE 8000 9464
STOPSIGNAL SIGTERM
# Of `up` and `api`. A worker has no such address: give it `--metrics`.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "/opt/steward/healthcheck.py"]
ENTRYPOINT ["steward"]
CMD ["up"]
