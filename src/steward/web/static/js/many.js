// Several records in one field: each pick becomes a checked box and empties the field.
for (const many of document.querySelectorAll("[data-many]")) {
  many.addEventListener("picked", (event) => {
    const { value, label } = event.detail;
    if (!value) return;
    const field = event.target;
    for (const input of field.querySelectorAll("input")) input.value = "";
    if ([...many.querySelectorAll("input[type=checkbox]")].some((tick) => tick.value === value)) return;
    const option = document.createElement("label");
    option.className = "option";
    const tick = document.createElement("input");
    Object.assign(tick, { type: "checkbox", name: many.dataset.many, value, checked: true });
    const text = document.createElement("span");
    text.textContent = label;
    option.append(tick, text);
    field.before(option);
  });
}
