"""nginx and Caddy before API processes of ours: the files of `deploy/`, with ports and certificates of this machine."""

import datetime as dt
import os
import re
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.support.deploy_files import DEPLOY
from tests.support.launching import Stoppable, find_program, launch, stop
from tests.support.ports import free_port
from tests.support.waiting import wait_for


def program(name: str) -> str:
    """Where it is; skips where it isn't."""
    found = find_program(name)
    if found is None:
        pytest.skip(f"{name} is not installed: make proxies")
    return found


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """For localhost, signed by itself: certificate and key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    today = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - dt.timedelta(days=1))
        .not_valid_after(today + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / "fullchain.pem", folder / "privkey.pem"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


class Frontend(Stoppable):
    """A proxy that ends TLS and shares requests out among API processes."""

    name: ClassVar[str]
    # For those who want to be sure whom they speak to; Caddy's own is made when it is asked for.
    certificate: Path | None = None

    def __init__(self, folder: Path, apis: Sequence[str]) -> None:
        self._program = program(self.name)
        self.folder = folder
        self.log = folder / f"{self.name}.log"
        self.port = free_port()
        self.base_url = f"https://localhost:{self.port}"
        arguments, more = self._configure([api.partition("://")[2] for api in apis])
        self._process = launch([self._program, *arguments], self.log, os.environ | more, folder=folder)
        try:
            wait_for(f"an answer of {self.name}", self._answers)
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    def _configure(self, apis: list[str]) -> tuple[list[str], dict[str, str]]:
        """Arguments and variables."""
        raise NotImplementedError

    def _answers(self) -> bool:
        assert self._process.poll() is None, self.log.read_text(encoding="utf-8")
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self) -> None:
        stop(self._process)


class Nginx(Frontend):
    name = "nginx"

    def _configure(self, apis: list[str]) -> tuple[list[str], dict[str, str]]:
        certificate, key = make_certificate(self.folder)
        self.certificate = certificate
        text = (DEPLOY / "nginx" / "steward.conf").read_text(encoding="utf-8")
        [server] = re.findall(r"^    server 127\.0\.0\.1:8000.*;$", text, re.MULTILINE)
        text = text.replace(server, "\n".join(server.replace("127.0.0.1:8000", api) for api in apis))
        text = re.sub(r"^    listen \[::\].*\n", "", text, flags=re.MULTILINE)
        text = text.replace("listen 443", f"listen 127.0.0.1:{self.port}")
        text = text.replace("listen 80;", f"listen 127.0.0.1:{free_port()};")
        text = re.sub(r"/etc/letsencrypt/\S+/fullchain\.pem", str(certificate), text)
        text = re.sub(r"/etc/letsencrypt/\S+/privkey\.pem", str(key), text)
        (self.folder / "steward.conf").write_text(text, encoding="utf-8")
        account = "user root;" if os.geteuid() == 0 else ""
        paths = "".join(
            f"{kind}_temp_path {self.folder}/{kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        config = self.folder / "nginx.conf"
        config.write_text(
            f"daemon off;\npid {self.folder}/nginx.pid;\nerror_log stderr;\n{account}\nworker_processes 1;\n"
            f"events {{ worker_connections 512; }}\nhttp {{\naccess_log off;\n{paths}"
            f"include {self.folder}/steward.conf;\n}}\n",
            encoding="utf-8",
        )
        return ["-p", str(self.folder), "-e", "stderr", "-c", str(config)], {}


class Caddy(Frontend):
    name = "caddy"

    def _configure(self, apis: list[str]) -> tuple[list[str], dict[str, str]]:
        # A certificate of Caddy's own, and nothing else of this machine is touched.
        options = "{\n\tskip_install_trust\n\tlocal_certs\n\tadmin off\n\tauto_https disable_redirects\n}\n"
        text = (DEPLOY / "caddy" / "Caddyfile").read_text(encoding="utf-8")
        if len(apis) > 1:
            # As its comment says.
            text = text.replace("#health_", "health_")
        config = self.folder / "Caddyfile"
        config.write_text(options + text, encoding="utf-8")
        variables = {
            "DOMAIN": self.base_url,
            "UPSTREAMS": " ".join(apis),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "HOME": str(self.folder),
        }
        return ["run", "--config", str(config), "--adapter", "caddyfile"], variables


FRONTENDS: dict[str, type[Frontend]] = {"nginx": Nginx, "caddy": Caddy}
