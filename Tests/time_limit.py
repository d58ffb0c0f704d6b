"""Ends tests that hang. For a conftest: `pytest_runtest_protocol = time_limit.hook(100)`."""
import signal

import pytest


def hook(seconds):
    """Gives each test this much time, with its fixtures."""
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(item):
        def end(*_):
            raise TimeoutError(f"not finished after {seconds:.0f} s")

        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    return pytest_runtest_protocol
