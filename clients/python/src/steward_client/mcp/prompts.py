"""Ready-made requests that a client can offer its user."""

from collections.abc import Mapping
from dataclasses import dataclass

import mcp_types as types


@dataclass(frozen=True, slots=True)
class Recipe:
    name: str
    title: str
    description: str
    text: str
    # The tool without which it makes no sense.
    needs: str


RECIPES = (
    Recipe(
        "triage_overdue_work_orders",
        "Triage overdue work orders",
        "Which overdue work orders should be dealt with first, and by whom.",
        "List the work orders that are overdue (list_work_orders with overdue=true), page by page. For each, look at its "
        "priority, its deadline slaResolutionDeadline, whether somebody is assigned, and its location and asset. Then give me a "
        "table in the order in which they should be dealt with: number, title, priority, how long overdue, assignee, and "
        "one sentence on what should happen next. Point out what nobody is assigned to, and several orders on one asset. Change nothing "
        "unless I ask for it.",
        needs="list_work_orders",
    ),
    Recipe(
        "who_is_in_the_building",
        "Who is in the building",
        "Visitors who are here now and who are still expected today.",
        "List the visitors who are checked in, and those who are registered and expected today. Give me one table of who is here, "
        "since when, from which company and with which host, and one of who is still to come and when. Name hosts, not ids.",
        needs="list_visitors",
    ),
    Recipe(
        "look_at_active_alerts",
        "Look at active alerts",
        "What devices complain about, and whether somebody is already working on it.",
        "List the active alerts. For each, read its asset and look for open work orders on that asset. Give me a table: severity, "
        "asset and location, since when, what was measured, and the work order that deals with it. Say which alerts nobody deals "
        "with. Change nothing unless I ask for it.",
        needs="list_alerts",
    ),
)


def offered(tools: Mapping[str, object]) -> dict[str, Recipe]:
    """By name, those whose tools are there."""
    return {recipe.name: recipe for recipe in RECIPES if recipe.needs in tools}


def described(recipe: Recipe) -> types.Prompt:
    return types.Prompt(name=recipe.name, title=recipe.title, description=recipe.description)


def written(recipe: Recipe) -> types.GetPromptResult:
    message = types.PromptMessage(role="user", content=types.TextContent(text=recipe.text))
    return types.GetPromptResult(description=recipe.description, messages=[message])
