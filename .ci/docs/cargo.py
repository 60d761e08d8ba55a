#!/usr/bin/env python3
"""Does what `cargo` does for the commands of a page, with what is already built."""

import functools
import json
import os
import re
import shlex
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEBUG = ROOT / "target/debug"
HERE = "/path/to/this/repository"


@functools.cache
def output(*command):
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def check(command):
    """Checks that what a command names exists: packages, programs, folders, features, subcommands, flags."""
    words = shlex.split(command.replace(HERE, str(ROOT)), comments=True)
    words = words[: words.index("--")] if "--" in words else words
    words = words[1:] if words[:2] == ["cargo", "xtask"] else words
    if words[0] in ("mcp", "xtask"):
        subcommand = takewhile(lambda word: not word.startswith("-"), words[1:])
        shown = output(DEBUG / words[0], *subcommand, "--help")
        for flag in [word.split("=")[0] for word in words if word.startswith("-")]:
            assert re.search(rf"(^|[\s,]){flag}(?![\w-])", shown), f"there is no flag `{flag}`"
    elif words[:2] == ["cargo", "add"]:
        output("cargo", "add", "--dry-run", "--manifest-path", ROOT / "xtask/Cargo.toml", *words[2:])
    elif words[0] == "cargo":
        for flag, value in zip(words, words[1:]):
            if flag == "-p":
                workspace = ROOT / "benches" if value.startswith("bench-") else ROOT
                output("cargo", "pkgid", "--manifest-path", workspace / "Cargo.toml", value)
            elif flag == "--bin":
                assert (DEBUG / value).exists(), f"there is no program `{value}`"
            elif flag == "--path":
                assert (ROOT / value / "Cargo.toml").exists(), f"there is no package in `{value}`"
            elif flag == "--profile":
                assert f"[profile.{value}]" in (ROOT / "Cargo.toml").read_text(), f"there is no profile `{value}`"


def build(profile):
    """Compiles the project in the current folder with the libraries of the workspace."""
    metadata = output("cargo", "metadata", "--no-deps", "--offline", "--format-version=1")
    [package] = json.loads(metadata)["packages"]
    program = Path("target", profile, package["name"]).absolute()
    program.parent.mkdir(parents=True, exist_ok=True)
    command = ["rustc", f"--edition={package['edition']}", "src/main.rs", "-o", program, "-L", f"dependency={DEBUG}/deps"]
    libraries = json.loads(os.environ["LIBRARIES"])
    for name in [dependency["name"].replace("-", "_") for dependency in package["dependencies"]]:
        command += ["--extern", f"{name}={libraries[name]}"]
    os.environ |= {"CARGO_PKG_NAME": package["name"], "CARGO_PKG_VERSION": package["version"]}
    output(*command)
    return program


def main(task, *options):
    arguments = options[options.index("--") + 1 :] if "--" in options else []
    if task in ("new", "init"):
        os.execvp("cargo", ["cargo", task, "--quiet", *options])
    check(shlex.join(["cargo", task, *options]))
    if task == "add":
        # After this has written the manifest, it may fail to lock dependencies that were never downloaded.
        subprocess.run(["cargo", "add", *options], capture_output=True)
    elif task == "xtask":
        os.execv(DEBUG / "xtask", ["xtask", *options])
    elif task == "run" and "--bin" in options:
        name = options[options.index("--bin") + 1]
        os.execv(DEBUG / name, [name, *arguments])
    elif task in ("build", "run") and "-p" not in options:
        program = build("release" if "--release" in options else "debug")
        if task == "run":
            os.execv(program, [program, *arguments])
    elif task not in ("build", "install"):
        sys.exit(f"{__file__} does not know `cargo {task}`")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except AssertionError as error:
        sys.exit(str(error))
