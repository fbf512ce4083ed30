"""Holding a TenantId is the proof that the access gate let its holder in; so few may make one."""

import ast

from tests.architecture.source import modules

# The gate's memory, sessions, tokens, invitations and links for a new password (each after checking a credential), an account
# for the organizations that it is in, founding, and the operator's commands. And the topics of messages: the broker, which the
# operator configures, decides who may publish under an organization's.
MAKERS = {
    "kit.security.caller",
    "access.credential_cache",
    "access.sessions",
    "access.organization_setup",
    "tokens.actions",
    "demo.seed",
    "users.invitations.actions",
    "users.accounts.actions",
    "users.password_resets.actions",
    "cli.leaving",
    "cli.org",
    "cli.user",
    "ingest.mqtt.topics",
}


def test_only_the_authorizer_makes_tenant_ids() -> None:
    makers = {
        name
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "TenantId"
    }
    assert makers == MAKERS


def test_query_functions_take_a_tenant_id() -> None:
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for argument in (*node.args.args, *node.args.kwonlyargs):
                if argument.arg == "tenant" and argument.annotation is not None:
                    assert ast.unparse(argument.annotation) == "TenantId", f"{name}.{node.name}"
