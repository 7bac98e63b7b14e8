"""The interface's own page in a real browser, with nothing but this service to load from."""

from __future__ import annotations

from tests.support.screen import Opens, Server


def test_the_interface_is_drawn_from_this_service_alone(server: Server, opens: Opens) -> None:
    """`opens` fails the test for whatever the content policy blocks."""
    page = opens(f"{server.url}/docs")
    page.get_by_text("/api/v1/odds").wait_for()
    loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert loaded
    assert all(address.startswith(server.url) for address in loaded)


def test_a_call_can_be_tried_out_there(server: Server, opens: Opens) -> None:
    """The page's own calls carry its Origin, which is this server's."""
    page = opens(f"{server.url}/docs")
    page.get_by_text("/api/v1/odds").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    page.locator(".live-responses-table").get_by_text('"undamaged"').first.wait_for()
