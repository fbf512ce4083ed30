from steward.bookings.resources.model import BookableResource, NewBookableResource
from steward.kit.domain.ids import new_id


def new_resource(new: NewBookableResource, now: int) -> BookableResource:
    return BookableResource(
        id=new_id("rsc"),
        name=new.name,
        type=new.type,
        location_id=new.location_id,
        capacity=new.capacity,
        buffer_minutes=new.buffer_minutes,
        check_in_required=new.check_in_required,
        release_after_minutes=new.release_after_minutes,
        active=new.active,
        external_id=new.external_id,
        metadata=new.metadata,
        created=now,
        updated=now,
    )
