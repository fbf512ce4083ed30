"""Brings the browser files that others wrote into `src/steward/web/static/vendor`, as package-lock.json pins them.

`scripts/setup` runs it: for `run` with what the files are made from and by, for `all` with the tools that check ours, too. Each
library becomes one small ES module (`scripts/browser` says what of it), its stylesheet comes as it is. Does nothing where what
is there was made from the same pins.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.node import REQUIREMENT, ROOT, install_modules, installed_node

MODULES = ROOT / "node_modules"
VENDOR = ROOT / "src" / "steward" / "web" / "static" / "vendor"
ENTRIES = ROOT / "scripts" / "browser"
_STAMP = MODULES / "installed"
_OMITTED = {"run": ("--omit=dev",), "all": ()}
_CALENDAR = "@event-calendar/build/dist/event-calendar.min"
_STYLESHEETS = {
    "event-calendar.css": f"{_CALENDAR}.css",
    "gridstack.css": "gridstack/dist/gridstack.min.css",
}
# By package: those whose code is in the modules, with what they bring along.
_LICENSES = {
    "echarts": ("LICENSE", "NOTICE"),
    "gridstack": ("LICENSE",),
    "htmx.org": ("LICENSE",),
    "sortablejs": ("LICENSE",),
    "tslib": ("LICENSE.txt",),
    "zrender": ("LICENSE",),
}
_CALENDAR_LICENSE = """\
EventCalendar (@event-calendar/build), https://github.com/vkurko/calendar, is published under the MIT license as its \
package.json says; the package carries no text of it.
"""


def vendor_files() -> list[str]:
    """What has to be in the folder."""
    modules = [entry.name for entry in ENTRIES.glob("*.js")]
    return sorted([*modules, "event-calendar.js", *_STYLESHEETS, "LICENSES.txt"])


def wanted_stamp() -> str:
    """Changes with everything that the files are made from."""
    sources = [
        ROOT / "package.json", ROOT / "package-lock.json", Path(__file__), *sorted(ENTRIES.glob("*.js"))
    ]  # fmt: skip
    return hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()


def is_current(for_whom: str = "all") -> bool:
    """`all` holds everything that `run` does."""
    wanted = {f"{kind} {wanted_stamp()}" for kind in (for_whom, "all")}
    if not _STAMP.exists() or _STAMP.read_text(encoding="utf-8") not in wanted:
        return False
    return installed_node() is not None and all((VENDOR / name).exists() for name in vendor_files())


def write_files(node: str, folder: Path) -> None:
    """All of the folder, from what npm has installed."""
    esbuild = [node, "node_modules/esbuild/bin/esbuild", "--log-level=warning", f"--outdir={folder}"]
    options = ["--bundle", "--format=esm", "--minify", "--target=es2022", "--legal-comments=none"]
    entries = [str(entry) for entry in sorted(ENTRIES.glob("*.js"))]
    subprocess.run([*esbuild, *options, *entries], cwd=ROOT, check=True)
    for name, source in _STYLESHEETS.items():
        shutil.copyfile(MODULES / source, folder / name)
    # A script that leaves one global variable becomes a module that leaves none.
    script = (MODULES / f"{_CALENDAR}.js").read_text(encoding="utf-8").partition("\n//# sourceMappingURL")[0]
    module = f"{script}\nexport const {{ create, destroy }} = EventCalendar;\n"
    (folder / "event-calendar.js").write_text(module, encoding="utf-8")
    (folder / "LICENSES.txt").write_text(_licenses(), encoding="utf-8")


def _licenses() -> str:
    texts = [_CALENDAR_LICENSE]
    for package, names in _LICENSES.items():
        text = "\n".join((MODULES / package / name).read_text(encoding="utf-8").strip() for name in names)
        texts.append(f"{package}\n\n{text}\n")
    return f"\n{'-' * 80}\n\n".join(texts)


def _replace_folder(node: str) -> None:
    """Nobody meets half of it."""
    made = VENDOR.with_name("vendor.new")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    write_files(node, made)
    shutil.rmtree(VENDOR, ignore_errors=True)
    made.rename(VENDOR)


def main(for_whom: str) -> int:
    if is_current(for_whom):
        return 0
    print("setup: fetching the browser files of the web app", file=sys.stderr)  # noqa: T201
    try:
        _replace_folder(install_modules(ROOT, *_OMITTED[for_whom]))
    except subprocess.CalledProcessError as error:
        print(  # noqa: T201
            f"setup: the browser files of the web app could not be made ({error.cmd[0]} ended with {error.returncode}). "
            f"They need npm with Node 20.19, 22.13 or 24, or else PyPI ({REQUIREMENT}), and the npm registry.",
            file=sys.stderr,
        )
        return 1
    _STAMP.write_text(f"{for_whom} {wanted_stamp()}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
