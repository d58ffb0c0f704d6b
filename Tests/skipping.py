"""CI must run every test: there, a test that is skipped fails. For a conftest:
`pytest_runtest_makereport = skipping.hook()`."""
import os

import pytest

#: Reasons for skipping that the command line gave, so that nothing is missing on the machine.
REQUESTED = ("--quick", "RECORD=1 renews the pictures")


def hook():
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(item, call):
        report = yield
        if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
            reason = str(call.excinfo.value.msg)
            if reason not in REQUESTED:
                report.outcome = "failed"
                report.longrepr = f"{item.nodeid} was skipped, but CI must run every test: {reason}"
        return report

    return pytest_runtest_makereport
