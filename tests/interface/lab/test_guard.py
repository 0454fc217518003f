"""Who may ask the lab, and what hostile games and addresses can do: nothing."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

TOKEN = {"X-Dicelab-Token": "the token of the tests"}
START = "/games/hazard/simulate/start?games=100&seed=1"


@pytest.mark.cases("host", ["example.org", "127.0.0.1.example.org", "example.org:8765", "", "[::1", "a@b"])
def test_only_requests_to_the_lab_itself_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 403


@pytest.mark.cases("host", ["127.0.0.1", "localhost", "127.0.0.1:8765", "LOCALHOST:1"])
def test_its_own_names_are_accepted(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.cases(
    "headers",
    [
        {},
        {"X-Dicelab-Token": "guessed"},
        {**TOKEN, "Origin": "https://example.org"},
        {**TOKEN, "Origin": "null"},
        {**TOKEN, "Origin": "http://127.0.0.1:1"},
        {**TOKEN, "Sec-Fetch-Site": "cross-site"},
        {**TOKEN, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_changes_need_the_token_and_the_lab_s_own_page(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post(START, headers=headers).status_code == 403


def test_its_own_page_may_change_things(client: TestClient) -> None:
    headers = {**TOKEN, "Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"}
    started = client.post(START, headers=headers)
    assert started.status_code == 201
    assert client.post(f"/runs/{started.json()['run']}/end", headers=headers).status_code == 204


def test_other_sites_may_link_to_the_lab_but_not_load_from_it(client: TestClient) -> None:
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/games/lcr", headers=followed).status_code == 200
    loaded = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert client.get("/games/lcr/exact.json?players=3", headers=loaded).status_code == 403


def test_a_change_can_t_be_asked_for_by_a_link(client: TestClient) -> None:
    assert client.get(START).status_code == 405
    assert client.get("/runs/any/stop").status_code == 405


@pytest.mark.cases("address", ["/", "/games/lcr", "/static/lab.css", "/nothing", "/games/lcr/exact.json?players=2"])
def test_every_answer_has_the_headers(client: TestClient, address: str) -> None:
    headers = client.get(address).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"


def test_pages_hold_no_scripts_or_styles_of_their_own(client: TestClient) -> None:
    for address in ("/", "/games/lcr", "/games/lcr/simulate?seed=1", "/games/hazard/play?seed=1", "/nothing"):
        page = client.get(address).text
        assert "<style" not in page
        assert " style=" not in page
        assert " onclick" not in page
        for part in page.split("<script")[1:]:
            assert 'src="/static/' in part.partition(">")[0]


@pytest.mark.cases("page", ["", "/exact?wait=yes", "/simulate?seed=1", "/play?seed=1", "/play?seed=1&moves=1"])
def test_a_hostile_file_is_only_text(client: TestClient, page: str) -> None:
    shown = client.get(f"/games/hostile{page}").text
    for part in ("<script>alert", "<img src=x", "<i>won", "{{ 7", "javascript:alert(&#39;source"):
        assert part not in shown.replace("Source: javascript:alert(&#39;source", "").replace("{{ 7 * 7 }}", "")
    assert "49" not in shown.partition("summary&#39;)")[2][:60]


@pytest.mark.cases(
    "query",
    [
        "players=<script>alert(1)</script>",
        "players=3%00",
        "<script>alert(1)</script>=3",
        "strategy=<img+src=x>",
        "strategy=policy:/etc/passwd",
        "strategy=policy:../../x.npz",
        "strategy=/etc/passwd",
        "strategy=examples/pig.py:hold_at",
        "strategy=bank_over:x.py",
        "strategy=best/../../etc/passwd",
        "set.players={{7*7}}",
        "players=" + "9" * 5000,
        "seed=%0d%0aSet-Cookie:x=1",
        "moves=__import__('os')",
        "precision=<script>alert(1)</script>",
        "precision=nan&on=<img+src=x>",
        "at.<script>alert(1)</script>=1",
    ],
)
@pytest.mark.cases(
    "page", ["exact?", "exact.json?", "exact.csv?", "simulate?", "play?", "play.json?", "review.json?", "card.csv?"]
)
def test_hostile_addresses_do_nothing(client: TestClient, page: str, query: str) -> None:
    response = client.get(f"/games/tossup/{page}target=6&dice=3&{query}")
    assert response.status_code in (200, 400, 404)
    if "json" not in page and "csv" not in page:
        assert "<script>alert" not in response.text
        assert "<img src=x" not in response.text
    assert "root:" not in response.text
    assert "Traceback" not in response.text
    assert "set-cookie" not in response.headers


@pytest.mark.slow
@pytest.mark.cases(
    "query",
    [
        "bet=<script>alert(1)</script>&amount=10",
        "bet=pass&amount=" + "9" * 60,
        "bet=pass&amount=nan",
        "bet=pass&amount=-10",
        "down=<img+src=x>",
        "bet=pass&bet=field",
        "say=" + "x" * 60,
        "moves=1e9.1e9",
        "moves=99999999999999999999.1",
        "ruin=nan&step=0",
        "ruin=0.05&find=__class__",
        "ruin=<script>alert(1)</script>",
        "only=<script>alert(1)</script>",
        "only=[[[&sort=edge",
        "sort=<img+src=x>",
        "with=../../etc/passwd",
        "with=<script>alert(1)</script>",
        "with=lcr&with.players=<script>alert(1)</script>",
        "with.strategy=policy:/etc/passwd",
        "with.with=lcr",
    ],
)
@pytest.mark.cases("page", ["craps/play?seed=1&", "craps/session?games=10&", "pass-line/edges?", "craps/beside?"])
def test_hostile_addresses_do_nothing_on_pages_of_money(client: TestClient, page: str, query: str) -> None:
    response = client.get(f"/games/{page}{query}")
    assert response.status_code in (200, 400, 404)
    assert "<script>alert" not in response.text
    assert "<img src=x" not in response.text
    assert "root:" not in response.text
    assert "Traceback" not in response.text
    assert "died" not in response.text


@pytest.mark.slow
@pytest.mark.cases("page", ["", "/part", "/figures"])
def test_a_hostile_file_that_is_checked_is_only_text(client: TestClient, page: str) -> None:
    shown = client.get(f"/games/hostile/check{page}").text
    assert "<script>alert" not in shown
    assert "<img src=x" not in shown


@pytest.mark.cases(
    "address", ["/runs/..%2F..%2Fetc", "/runs/1%00", "/runs/<script>alert(1)", "/runs/compare?run=<img+src=x>"]
)
def test_hostile_runs_do_nothing(client: TestClient, address: str) -> None:
    response = client.get(address)
    assert response.status_code in (400, 404)
    assert "<script>alert" not in response.text
    assert "<img src=x" not in response.text


@pytest.mark.cases(
    "address",
    [
        "/games/examples%2Fpig.py",
        "/games/..%2F..%2Fetc%2Fpasswd",
        "/games/.%2Fpig.py/exact",
        "/static/..%2Fapp.py",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/runs/..%2F..%2Fetc/passwd.svg",
    ],
)
def test_addresses_have_no_paths(client: TestClient, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 404
    assert "import" not in response.text


@pytest.mark.cases(
    "strategy",
    [
        *("examples/pig.py:hold_at", "pig.py:x", "bank_over:x.py", "policy:x.npz", "bank_over:20/x"),
        *("search:2:values.npz", "mcts:10:./mine.py:x"),
    ],
)
def test_strategies_from_files_can_t_be_named(client: TestClient, strategy: str) -> None:
    response = client.get(f"/games/tossup/exact.json?strategy={strategy}")
    assert response.status_code == 404
    assert "no strategy of tossup" in response.text
