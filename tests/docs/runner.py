"""Runs the blocks of a page as a reader does: from top to bottom, in one shell, with one Python interpreter beside it."""

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
from scripts.node import installed_node
from tests.docs.pages import Block, Note, Page
from tests.support.waiting import limit

RUN = ("sh", "python", "js")
_SECONDS = 180
# What a page installs is there already, or another test installs it: this environment is the tests' own.
_PIP = {"PIP_DRY_RUN": "1", "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
_ENDINGS = {"sh": "sh", "python": "py", "js": "mjs"}
# curl says nothing of a refusal by itself.
_PROLOGUE = r"""
set -euo pipefail
curl() {
  case " $* " in
    *" -f"* | *" --fail"*) command curl -sS "$@" || return ;;
    *) command curl -sS --fail-with-body "$@" || return ;;
  esac
  echo
}
# Hands a block to the interpreter of the page, with what is exported by now.
_python() {
  if [ ! -p .blocks/asked ]; then
    mkfifo .blocks/asked .blocks/answered
    python -u .blocks/interpreter.py &
    exec 8> .blocks/asked 9< .blocks/answered
  fi
  env -0 > .blocks/environment
  echo "$1" >&8
  local answer
  read -r answer <&9 && [ "$answer" = done ]
}
# Runs a block that doesn't end by itself, until it has said something.
_until() {
  (source "$1") > "$1.log" 2>&1 &
  local process=$! tries=0
  until grep -qF -- "$2" "$1.log"; do
    kill -0 "$process" 2>/dev/null && [ $((tries += 1)) -lt _TRIES ] || { cat "$1.log"; echo "it never said: $2"; return 1; }
    sleep 0.05
  done
  cat "$1.log"
}
"""
_INTERPRETER = r"""
import os, sys, traceback
namespace = {"__name__": "__main__"}
with open(".blocks/asked") as asked, open(".blocks/answered", "w", buffering=1) as answered:
    for line in asked:
        with open(".blocks/environment", "rb") as file:
            pairs = (pair.partition(b"=") for pair in file.read().split(b"\0") if pair)
            os.environb.update((name, value) for name, _, value in pairs)
        name = line.strip()
        with open(name, encoding="utf-8") as file:
            code = file.read()
        try:
            exec(compile(code, name, "exec"), namespace)
        except BaseException:
            traceback.print_exc()
            print("failed", file=answered)
        else:
            print("done", file=answered)
"""


def is_run(block: Block) -> bool:
    """By us: not by another test, and not only read."""
    if block.language not in RUN or block.title is not None:
        return False
    match block.note:
        case Note(kind="needs", text=program):
            return shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin") is not None
        case None | Note(kind="until" | "before"):
            return True
        case _:
            return False


def run_page(page: Page, folder: Path, variables: dict[str, str]) -> str:
    """What it printed; fails with all of that where a block fails."""
    (folder / ".blocks").mkdir(parents=True)
    (folder / ".blocks" / "interpreter.py").write_text(_INTERPRETER, encoding="utf-8")
    script = _PROLOGUE.replace("_TRIES", str(round(limit(60) / 0.05))) + "\n".join(
        _step(block, folder) for block in page.blocks
    )
    output = folder / ".blocks" / "output"
    with output.open("wb") as sink:
        # A session of its own, so that what the page has started is found when the page is over.
        shell = subprocess.Popen(
            ["bash", "-c", script],
            cwd=folder,
            env=_environment(folder, variables),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
        )
    try:
        code = shell.wait(limit(_SECONDS))
    except subprocess.TimeoutExpired:
        code = -1
    finally:
        _end_session(shell.pid)
        shell.wait()
    said = output.read_text(encoding="utf-8", errors="replace")
    assert code == 0, f"{page} ended with {code}:\n{said}"
    return said


def _step(block: Block, folder: Path) -> str:
    """The line of the script that does what the page says there."""
    if block.title is not None:
        (folder / ".blocks" / f"{block.line}-{Path(block.title).name}").write_text(
            block.code, encoding="utf-8"
        )
        place = shlex.quote(
            str(Path(block.title).relative_to("/") if block.title.startswith("/") else block.title)
        )
        return f'mkdir -p "$(dirname {place})" && cp .blocks/{block.line}-{shlex.quote(Path(block.title).name)} {place}'
    if not is_run(block):
        return f"echo '== line {block.line}: not run here'"
    name = f".blocks/{block.line}.{_ENDINGS[block.language]}"
    (folder / name).write_text(block.code, encoding="utf-8")
    command = {"sh": f"source {name}", "python": f"_python {name}", "js": f"node {name}"}[block.language]
    if block.note and block.note.kind == "until":
        command = f"_until {name} {shlex.quote(block.note.text)}"
    if block.note and block.note.kind == "before":
        command = f"{block.note.text}\n{command}"
    return f"echo '== line {block.line}'\n{command}"


def _environment(folder: Path, variables: dict[str, str]) -> dict[str, str]:
    """A reader's: nothing of ours but the three variables and the programs."""
    node = installed_node()
    programs = [
        str(Path(sys.executable).parent),
        *([str(Path(node).parent)] if node else []),
        os.environ["PATH"],
    ]
    return {
        "PATH": ":".join([*programs, "/usr/sbin"]),
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        **_PIP,
        **variables,
    }


def _end_session(leader: int) -> None:
    """Asks everything that a page has left running to end, and waits for it."""
    for one in _alive(leader):
        with contextlib.suppress(psutil.NoSuchProcess):
            one.terminate()
    _, stubborn = psutil.wait_procs(_alive(leader), timeout=limit(60))
    for one in stubborn:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()


def _alive(leader: int) -> list[psutil.Process]:
    """The processes of a session."""
    found = []
    for one in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getsid(one.pid) == leader and one.status() != psutil.STATUS_ZOMBIE:
                found.append(one)
    return found
