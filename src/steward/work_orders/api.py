from steward.kit import records
from steward.kit.http.answer import Answer, created, one, page
from steward.kit.http.resource import Resource
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.permissions import Permission
from steward.work_orders import actions, queries
from steward.work_orders.model import NewWorkOrder, Priority, Status, WorkOrder, WorkOrderQuery

_EXAMPLE = WorkOrder(
    "wo_00064a1b2c3d4e5f60718293a4b5",
    1,
    "Air handler 3 is noisy",
    "Grinding noise since this morning, third floor.",
    Status.OPEN,
    Priority.HIGH,
    None,
    "usr_00064a1b2c3d4e5f60718293a4b5",
    1767225600,
    1767225600,
)


async def list_work_orders(call: Call[NoBody, WorkOrderQuery]) -> Answer:
    return page(await queries.LISTING.page(call.db, call.cursors, call.caller.tenant, call.query))


async def read(call: Call[NoBody, NoQuery]) -> Answer:
    return one(
        await records.get(call.db, queries.WORK_ORDERS, call.caller.tenant, call.params["workOrderId"])
    )


async def create(call: Call[NewWorkOrder, NoQuery]) -> Answer:
    order = await actions.create(call.db, call.caller, call.body)
    return created(order, call.location(f"work-orders/{order.id}"))


_WORK_ORDERS = Resource(
    tag="Work orders",
    path="/organizations/{orgId}/work-orders",
    id_name="workOrderId",
    gives=WorkOrder,
    example=_EXAMPLE,
    read_permission=Permission.WORK_ORDERS_READ,
    write_permission=Permission.WORK_ORDERS_WRITE,
)

ROUTES: tuple[Route, ...] = (
    _WORK_ORDERS.list(list_work_orders, "List work orders", query=WorkOrderQuery),
    _WORK_ORDERS.create(
        create,
        "Create a work order",
        body=NewWorkOrder,
        body_example={"title": "Air handler 3 is noisy", "priority": "High"},
    ),
    _WORK_ORDERS.read(read, "Read a work order"),
)
