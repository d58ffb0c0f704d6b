"""How long the server waits for slow clients. They were started at the beginning and run alongside the other tests."""
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name,seconds", [("stalled head", 10), ("dripping head", 10), ("nothing", 10), ("stalled body", 15),
                                          ("stalled chunk", 15), ("dripping body", 30)])
def test_slow_requests_end(slow_clients, name, seconds):
    status, waited, closed = slow_clients[name].result()
    # A connection on which nothing was sent may end without a response.
    assert status == 408 or (name == "nothing" and status == 0)
    assert closed and seconds - 2 <= waited <= seconds + 8


def test_a_kept_connection_ends(slow_clients):
    closed, waited = slow_clients["kept connection"].result()
    assert closed and 25 <= waited <= 40


def test_a_silent_web_socket_ends(slow_clients):
    pings, end, code = slow_clients["idle web socket"].result()
    assert pings and 15 <= pings[0] <= 25
    assert code == 1011 and 55 <= end <= 75
