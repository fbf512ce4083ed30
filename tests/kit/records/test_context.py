import pytest

from steward.kit.db.pool import Pool
from steward.kit.domain.versions import Precondition
from steward.kit.records.context import Context
from steward.kit.security.caller import SOME_TENANT


async def test_a_transaction_gives_the_same_target_on_the_transaction(database_url: str) -> None:
    pool = Pool(database_url, 1)
    try:
        seen = Precondition(("v1",))
        target = Context.of_tenant(pool, SOME_TENANT, 1_767_225_600).on("wo_1", seen, within="loc_1")
        async with target.transaction() as inside:
            assert inside.db is not pool
            assert (inside.id, inside.precondition, inside.parent) == ("wo_1", seen, "loc_1")
            assert (inside.tenant, inside.now) == (SOME_TENANT, 1_767_225_600)
            async with inside.transaction() as nested:
                assert nested.tx is inside.tx
        assert target.db is pool
    finally:
        await pool.close()


async def test_a_verb_that_needs_a_transaction_or_a_parent_refuses_to_go_without(database_url: str) -> None:
    pool = Pool(database_url, 1)
    try:
        ctx = Context.of_tenant(pool, SOME_TENANT, 0)
        with pytest.raises(AssertionError, match="open transaction"):
            assert ctx.tx
        with pytest.raises(AssertionError, match="parent"):
            assert ctx.parent
        # What is about another record lies in no parent, unless the verb names one.
        assert ctx.inside("loc_1").on("wo_1").within is None
    finally:
        await pool.close()


def test_a_context_of_a_tenant_acts_for_no_user(database_url: str) -> None:
    ctx = Context.of_tenant(Pool(database_url, 1), SOME_TENANT, 0)
    assert (ctx.who.user, ctx.who.permissions) == (None, frozenset())
