from steward.kit.domain.problems import Conflict, ErrorDetail, Invalid
from steward.kit.web.form import SubmittedForm, empty_form
from steward.kit.web.form_rows import sent_rows


def _sent(**values: str) -> SubmittedForm[object]:
    return SubmittedForm({name: [value] for name, value in values.items()}, object(), {})


def test_errors_are_shown_at_their_fields() -> None:
    form = _sent(title="x")
    form.refuse(Invalid("title", "names nobody"))
    assert form.errors == {"title": "Names nobody"}
    assert form.problem is None


def test_errors_without_a_field_are_shown_above_the_form() -> None:
    form = _sent(title="x")
    form.refuse(Invalid("locationId", "names no location"))
    assert form.problem == "locationId names no location."
    other = _sent(title="x")
    other.refuse(Conflict("Not in this state."))
    assert (other.problem, other.errors) == ("Not in this state.", {})
    assert str(other.refusal()) == "Not in this state."


def test_the_first_error_of_a_field_is_kept() -> None:
    form: SubmittedForm[object] = SubmittedForm({"title": ["x"]}, None, {"title": "Fill this in."})
    assert form.refusal().details == (ErrorDetail("title", "Fill this in."),)
    form.refuse(Invalid("title", "other"))
    assert form.errors == {"title": "Fill this in."}


def test_a_form_with_another_name_counts_as_not_filled_in() -> None:
    form = _sent(title="x")
    form.name = "change"
    assert form.named("change").value("title") == "x"
    assert form.named("comment").value("title", "y") == "y"


def test_rows_are_those_that_somebody_filled_in() -> None:
    form: SubmittedForm[object] = SubmittedForm(
        {
            "rows.10.key": ["c"],
            "rows.2.key": ["a"],
            "rows.2.value": ["1"],
            "rows.3.key": [" "],
            f"rows.{'9' * 5000}.key": ["x"],
            "other.0.key": ["y"],
        },
        None,
        {},
    )
    assert sent_rows(form, "rows") == [{"key": "a", "value": "1"}, {"key": "c"}]
    assert sent_rows(empty_form(), "rows") is None
