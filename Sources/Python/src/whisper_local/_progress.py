"""A progress bar on standard error, without a package for it."""
from __future__ import annotations

import sys
import time

WIDTH = 30


class ProgressBar:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.start = time.monotonic()
        self.show(0)

    def show(self, position: float) -> None:
        """Draws how many seconds of the recording have been transcribed."""
        part = min(position / self.seconds, 1) if self.seconds else 1
        full = int(part * WIDTH)
        speed = position / max(time.monotonic() - self.start, 0.001)
        bar = "█" * full + " " * (WIDTH - full)
        sys.stderr.write(f"\r{part:4.0%}|{bar}| {position:.1f}/{self.seconds:.1f} s, {speed:.1f} times as fast")
        sys.stderr.flush()

    def finish(self) -> None:
        self.show(self.seconds)
        sys.stderr.write("\n")
        sys.stderr.flush()
