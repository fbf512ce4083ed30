def load_for_api() -> None:
    pass


def load_for_worker() -> None:
    pass
