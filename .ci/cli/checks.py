"""Runs the parts of a check, and counts the failures."""

import sys
import time
import traceback

failed = 0


def part(name):
    """Runs the decorated function immediately. A failure does not end the check."""

    def run(function):
        global failed
        begun = time.monotonic()
        try:
            function()
        except Exception:
            failed += 1
            print(f"FAILED: {name}\n{traceback.format_exc()}", flush=True)
        else:
            print(f"ok: {name} ({time.monotonic() - begun:.1f} s)", flush=True)

    return run


def end():
    """Prints a summary, and ends this program."""
    print("everything held" if failed == 0 else f"{failed} parts failed")
    sys.exit(failed != 0)
