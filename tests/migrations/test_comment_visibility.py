"""Comments from before there was a visibility: what reporters said stays theirs, and what was answered to it."""

import asyncio

from tests.support.databases import migrate_until, run_commands

from steward.wiring.schema import migrate

MADE = (
    """INSERT INTO organizations (id, name, plan, created, updated) VALUES ('org_1', 'House', 'Enterprise', 1, 1)""",
    """INSERT INTO accounts (id, email, password_hash, created, updated)
       VALUES ('acc_1', 'r@x.example', 'x', 1, 1), ('acc_2', 's@x.example', 'x', 1, 1)""",
    """INSERT INTO memberships (organization_id, user_id, name, status, created, updated, account_id, email)
       VALUES ('org_1', 'usr_r', 'R', 'Active', 1, 1, 'acc_1', 'r@x.example'),
              ('org_1', 'usr_s', 'S', 'Active', 1, 1, 'acc_2', 's@x.example')""",
    """INSERT INTO work_orders (organization_id, id, number, title, status, priority, reported_by, created, updated)
       VALUES ('org_1', 'wo_1', 1, 'Lamp', 'Open', 'Low', 'usr_r', 1, 1),
              ('org_1', 'wo_2', 2, 'Lift', 'Open', 'Low', 'usr_r', 1, 1)""",
    """INSERT INTO work_order_comments (organization_id, id, work_order_id, text, created_by, created)
       VALUES ('org_1', 'cmt_1', 'wo_1', 'Among us', 'usr_s', 1), ('org_1', 'cmt_2', 'wo_1', 'When?', 'usr_r', 2),
              ('org_1', 'cmt_3', 'wo_1', 'Tomorrow', 'usr_s', 3), ('org_1', 'cmt_4', 'wo_2', 'Again', 'usr_s', 4)""",
)


def test_comments_of_and_to_reporters_stay_visible_to_them(empty_url: str) -> None:
    asyncio.run(migrate_until(empty_url, 53))
    asyncio.run(run_commands(empty_url, *MADE))
    asyncio.run(migrate(empty_url))
    rows = asyncio.run(run_commands(empty_url, "SELECT id, visibility FROM work_order_comments ORDER BY id"))
    assert [row["visibility"] for row in rows] == ["team", "reporter", "reporter", "team"]
    counts = asyncio.run(
        run_commands(empty_url, "SELECT reporter_comment_count FROM work_orders ORDER BY id")
    )
    assert [row[0] for row in counts] == [2, 0]
