from msgspec.structs import replace

from steward.kit import clock
from steward.kit.caller import Caller
from steward.kit.db import Database
from steward.kit.ids import new_id
from steward.work_orders import queries
from steward.work_orders.model import NewWorkOrder, Status, WorkOrder


async def create(db: Database, who: Caller, new: NewWorkOrder) -> WorkOrder:
    now = clock.now()
    order = WorkOrder(
        new_id("wo"),
        0,
        new.title,
        new.description,
        Status.OPEN,
        new.priority,
        new.assignee_id,
        new.reported_by or who.user,
        now,
        now,
    )
    return replace(order, number=await queries.insert(db, who.tenant, order))
