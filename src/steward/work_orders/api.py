from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
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


_WORK_ORDERS = Resource(
    tag="Work orders",
    path="/organizations/{orgId}/work-orders",
    id_name="workOrderId",
    gives=WorkOrder,
    example=_EXAMPLE,
    table=queries.WORK_ORDERS,
    listing=queries.LISTING,
    read_permission=Permission.WORK_ORDERS_READ,
    write_permission=Permission.WORK_ORDERS_WRITE,
)

ROUTES: tuple[Route, ...] = (
    _WORK_ORDERS.list("List work orders", query=WorkOrderQuery),
    _WORK_ORDERS.create(
        actions.create,
        "Create a work order",
        body=NewWorkOrder,
        body_example={"title": "Air handler 3 is noisy", "priority": "High"},
    ),
    _WORK_ORDERS.read("Read a work order"),
)
