"""The checklist of a work order: ticking items, and replacing the list without losing what is done."""

from collections.abc import Mapping, Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Invalid, all_faults
from steward.work_orders.model import MAX_CHECKLIST, ChecklistItem, NewChecklistItem, TickedItem


def with_tick(items: Sequence[ChecklistItem], item: TickedItem) -> list[NewChecklistItem]:
    wanted = [
        NewChecklistItem(text=old.text, done=item.done if old.id == item.id else old.done, id=old.id)
        for old in items
    ]
    if item.id is None:
        if item.text is None:
            raise Invalid("text", "is required for a new item")
        wanted.append(NewChecklistItem(text=item.text, done=item.done))
    elif all(old.id != item.id for old in items):
        raise Invalid("id", f"the checklist has no item {item.id}")
    if len(wanted) > MAX_CHECKLIST:
        raise Invalid("text", f"a checklist has at most {MAX_CHECKLIST} items")
    return wanted


def checklist(
    old: list[ChecklistItem], wanted: list[NewChecklistItem], by: str | None, now: int
) -> list[ChecklistItem]:
    """Items keep who did them and when; an item ticked now was done by the user it names, or by the caller."""
    known = {item.id: item for item in old}
    _check_items(known, wanted)
    items = []
    for item in wanted:
        before = known.get(item.id or "")
        if item.done and before is not None and before.done:
            items.append(replace(before, text=item.text))
        else:
            done = (item.done_by or by, now) if item.done else (None, None)
            items.append(ChecklistItem(before.id if before else new_id("chk"), item.text, item.done, *done))
    return items


def replaced(old: list[ChecklistItem], new: list[NewChecklistItem]) -> list[NewChecklistItem] | UnsetType:
    """Items without an id are matched by their text, and what is done stays done. UNSET where nothing changes."""
    known = {item.id: item for item in old}
    items = []
    for item in new:
        same = known.get(item.id or "") or next(
            (one for one in known.values() if one.text == item.text), None
        )
        if same is None:
            items.append(item)
        else:
            items.append(replace(item, id=same.id, done=item.done or same.done))
            known.pop(same.id)
    unchanged = [NewChecklistItem(text=item.text, done=item.done, id=item.id) for item in old]
    return UNSET if items == unchanged else items


def _check_items(known: Mapping[str, ChecklistItem], wanted: list[NewChecklistItem]) -> None:
    seen: set[str] = set()
    with all_faults() as faults:
        for index, item in enumerate(wanted):
            if item.id is not None and item.id not in known:
                faults.add(f"checklist[{index}].id", "names no item of this checklist")
            elif item.id is not None and item.id in seen:
                faults.add(f"checklist[{index}].id", "names an item twice")
            if item.done_by is not None and not item.done:
                faults.add(f"checklist[{index}].doneBy", "is only for an item that is done")
            seen.add(item.id or "")
