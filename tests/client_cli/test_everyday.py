"""Each command once, through the real entry point, against the running service."""

import csv
import io

import pytest
from tests.client.clients import client_of
from tests.client_cli.users import User
from tests.support.waiting import wait_for


def test_a_work_order_from_its_beginning_to_its_end(user: User) -> None:
    order = user.one(
        "work-orders", "create", "Leak in the cellar", "--priority", "high", "--description", "Wet"
    )
    number = str(order["number"])
    assert (order["priority"], order["description"]) == ("High", "Wet")
    moves = [
        (("start", number), "InProgress"),
        (("hold", f"#{number}", "--reason", "Waiting for a valve"), "OnHold"),
        (("resume", order["id"]), "InProgress"),
        (("complete", number), "Completed"),
        (("reopen", number), "InProgress"),
        (("cancel", number, "--reason", "Twice the same"), "Cancelled"),
    ]
    for words, status in moves:
        assert user.says("work-orders", *words) == f"#{number} Leak in the cellar: {status}\n"
    kept = user.organization.work_orders.read(order["id"])
    assert kept["cancelReason"] == "Twice the same"


def test_several_work_orders_are_moved_at_once(user: User) -> None:
    numbers = [str(user.one("work-orders", "create", title)["number"]) for title in ("One", "Two")]
    assert [order["status"] for order in user.json("work-orders", "start", *numbers)] == ["InProgress"] * 2


def test_a_work_order_is_assigned_and_talked_about(user: User) -> None:
    order = user.one("work-orders", "create", "Leak")
    number, email = str(order["number"]), user.organization.email
    assert f"assigned to {email}" in user.says("work-orders", "assign", number, email)
    assert user.organization.work_orders.read(order["id"])["assigneeId"] == user.organization.user_id
    assert (
        user.one("work-orders", "comment", number, "A bucket is in place")["text"] == "A bucket is in place"
    )
    assert user.says("work-orders", "comment", number, "Dry again") == "comment added\n"
    shown = user.says("work-orders", "show", number)
    assert "A bucket is in place" in shown
    assert user.organization.user_id in shown
    assert user.one("work-orders", "assign", number, "nobody")["assigneeId"] is None


def test_lists_are_filtered_and_say_when_there_is_more(user: User) -> None:
    for title, priority in (("One", "low"), ("Two", "high"), ("Three", "high")):
        user.says("work-orders", "create", title, "--priority", priority)
    user.says("work-orders", "start", "3")
    table = user.says("work-orders", "list").splitlines()
    assert table[0].split() == ["NUMBER", "TITLE", "STATUS", "PRIORITY", "DUE", "UPDATED"]
    assert [row.split()[:2] for row in table[1:]] == [["#3", "Three"], ["#2", "Two"], ["#1", "One"]]
    titles = [
        order["title"] for order in user.json("work-orders", "list", "--priority", "high", "--status", "open")
    ]
    assert titles == ["Two"]
    both = user.json("work-orders", "list", "--status", "Open", "--status", "InProgress", "--sort", "number")
    assert [order["number"] for order in both] == [1, 2, 3]
    two = user.run("work-orders", "list", "--limit", "2", "--json")
    assert (two.stdout.count("\n"), "the first 2" in two.stderr) == (2, True)
    three = user.run("work-orders", "list", "--limit", "3", "--json")
    assert (three.stdout.count("\n"), three.stderr) == (3, "")
    assert len(user.json("work-orders", "list", "--all")) == 3
    nothing = user.run("work-orders", "list", "--search", "elephant")
    assert (nothing.stdout, nothing.stderr) == ("", "nothing found\n")


def test_csv_of_a_list(user: User) -> None:
    title = '=cmd|"x", and\nmore'
    user.says("work-orders", "create", title)
    head, row = csv.reader(io.StringIO(user.says("work-orders", "list", "--csv"), newline=""))
    assert head[:2] == ["number", "title"]
    assert row[:4] == ["1", f"'{title}", "Open", "Medium"]


def test_an_asset_is_made_changed_archived_and_restored(user: User) -> None:
    place = user.organization.locations.create("Cellar", code="C-1")
    kind = user.organization.assets.type_id
    made = user.one(
        "assets", "create", "Pump", "--type", kind, "--external-id", "ERP-7", "--keep-alive", "15m"
    )
    assert made["keepAlive"] == 900
    changed = user.one("assets", "update", "ERP-7", "--name", "Pump 7", "--location", "C-1")
    assert (changed["name"], changed["locationId"]) == ("Pump 7", place["id"])
    assert "Pump 7" in user.says("assets", "show", "ERP-7")
    assert user.says("assets", "archive", made["id"]) == f"{made['id']} Pump 7\n"
    assert [user.json("assets", "list"), len(user.json("assets", "list", "--archived"))] == [[], 1]
    user.says("assets", "restore", made["id"])
    assert [
        asset["id"] for asset in user.json("assets", "list", "--location", "C-1", "--search", "pump")
    ] == [made["id"]]
    assert "nothing to change" in user.refused(2, "assets", "update", "ERP-7")


def test_locations_are_listed_by_parent(user: User) -> None:
    site = user.organization.locations.create("Harbour", type="Site", externalId="ERP-1")
    cellar = user.organization.locations.create("Cellar", parentId=site["id"])
    assert [one["id"] for one in user.json("locations", "list", "--in", "ERP-1")] == [cellar["id"]]
    assert "Harbour" in user.says("locations", "show", "ERP-1")


def test_a_room_is_found_booked_and_released(user: User) -> None:
    room = user.organization.resources.create(name="Room Elbe", features=["projector"], capacity=8)
    hours = ("--from", "+1d", "--for", "30m")
    free = user.json("bookings", "free", *hours, "--capacity", "6", "--has", "projector")
    assert [one["id"] for one in free] == [room["id"]]
    made = user.one(
        "bookings", "create", "Room Elbe", *hours, "--title", "Budget", "--by", user.organization.email
    )
    assert (made["endTime"] - made["startTime"], made["bookedBy"]) == (1800, user.organization.user_id)
    assert user.json("bookings", "free", *hours) == []
    listed = user.json("bookings", "list", "--from", "now", "--to", "+2d", "--resource", room["id"])
    assert [one["id"] for one in listed] == [made["id"]]
    assert "Budget" in user.says("bookings", "show", made["id"])
    taken = user.refused(6, "bookings", "create", room["id"], *hours)
    assert "request req_" in taken
    assert user.says("bookings", "cancel", made["id"]).endswith(": Cancelled\n")
    now = user.one("bookings", "create", room["id"], "--from", "now", "--for", "1h")
    assert user.one("bookings", "check-in", now["id"])["status"] == "CheckedIn"
    assert "--to or --for" in user.refused(2, "bookings", "create", "x", "--from", "now")


def test_a_visitor_comes_and_goes(user: User) -> None:
    made = user.one(
        "visitors",
        "expect",
        "Ada Lovelace",
        "--at",
        "+1h",
        "--host",
        user.organization.email,
        "--company",
        "Engines",
    )
    assert (made["hostId"], made["status"]) == (user.organization.user_id, "Registered")
    for verb, status in (("check-in", "CheckedIn"), ("check-out", "CheckedOut")):
        assert user.says("visitors", verb, made["id"]) == f"{made['id']} Ada Lovelace: {status}\n"
    other = user.one("visitors", "expect", "Grace", "--check-in")
    assert [one["id"] for one in user.json("visitors", "list", "--status", "CheckedIn")] == [other["id"]]
    third = user.one("visitors", "expect", "Hedy")
    assert user.one("visitors", "cancel", third["id"])["status"] == "Cancelled"
    assert "Engines" in user.says("visitors", "show", made["id"])


def test_an_external_id_takes_precedence_over_a_code(user: User) -> None:
    locations = client_of(user.organization).locations
    ours = locations.create(name="House", type="Site", external_id="H-1")
    for name in ("Hall", "Hut"):
        locations.create(name=name, type="Site", code="H-1" if name == "Hall" else "H-2")
    assert user.one("locations", "show", "H-1")["id"] == ours.id
    assert user.one("locations", "show", "H-2")["name"] == "Hut"


def test_readings_are_sent_and_drawn(user: User) -> None:
    device = user.organization.devices.add(externalId="70B3")
    for minutes, value in ((30, 20), (20, 25), (10, 21.5)):
        taken = user.says("telemetry", "send", "70B3", f"Temperature={value}", "--at", f"-{minutes}m")
        assert taken == f"{device}: 1 taken\n"
    plot = ("telemetry", "plot", "70B3", "Temperature", "--for", "1h")
    wait_for("readings", lambda: user.run(*plot, "--json").stdout.count("\n") == 3)
    drawn = user.says(*plot, "--height", "8")
    head, *lines = drawn.splitlines()
    assert head == "Temperature: min 20 °C, max 25 °C"
    assert (lines[0].lstrip().startswith("25 "), len(lines)) == (True, 8)
    assert max(map(len, lines)) <= 80
    points = user.json(*plot)
    assert [point["average"] for point in points] == [20, 25, 21.5]
    assert "no readings of Humidity" in user.refused(5, "telemetry", "plot", "70B3", "Humidity")


@pytest.mark.parametrize("reading", ["Temperature", "=1", "Temperature=warm", "Temperature="])
def test_invalid_readings_are_refused_before_sending(user: User, reading: str) -> None:
    user.refused(2, "telemetry", "send", "ast_1", reading)


def test_an_alert_is_acknowledged(user: User) -> None:
    user.organization.alert_rules.create()
    user.organization.devices.report(user.organization.devices.first_id, {"Temperature": 50})
    [alert] = wait_for("an alert", lambda: user.json("alerts", "list", "--status", "active"))
    assert user.says("alerts", "acknowledge", alert["id"]) == f"{alert['id']}: Acknowledged\n"
    assert "Acknowledged" in user.says("alerts", "show", alert["id"])


def test_a_webhook_is_made_tried_and_replayed(user: User) -> None:
    made = user.one("webhooks", "create", "https://hooks.example.com/in", "--event", "workorder.*")
    assert (made["events"], made["signingSecret"][:6]) == (["workorder.*"], "whsec_")
    assert [one["webhookId"] for one in user.json("webhooks", "list")] == [made["webhookId"]]
    assert "hooks.example.com" in user.says("webhooks", "show", made["webhookId"])
    sent = user.one("webhooks", "test", made["webhookId"])
    deliveries = user.json("webhooks", "deliveries", made["webhookId"])
    assert [one["deliveryId"] for one in deliveries] == [sent["deliveryId"]]
    assert user.json("webhooks", "deliveries", made["webhookId"], "--status", "succeeded") == []
    replay = user.one("webhooks", "replay", made["webhookId"], "--since", "-1h", "--only", "all")
    assert (replay["only"], replay["webhookId"]) == ("all", made["webhookId"])
    told = user.run("webhooks", "create", "https://hooks.example.com/more")
    assert "signing secret: whsec_" in told.stdout
    assert "shown this once" in told.stderr
