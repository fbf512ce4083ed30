// Rows of the form builder: add, remove and reorder. The server renders the preview.
const builder = document.getElementById("builder");
const rows = builder.querySelector("[data-rows]");
const template = builder.querySelector("[data-template]");

function renumber() {
  [...rows.children].forEach((row, at) => {
    for (const element of row.querySelectorAll("[name], [for], [id]")) {
      for (const attribute of ["name", "for", "id"]) {
        const value = element.getAttribute(attribute);
        if (value) element.setAttribute(attribute, value.replace(/^fields\.[^.]+\./, `fields.${at}.`));
      }
    }
  });
}

function fit(row) {
  const kind = row.querySelector("[data-kind]").value;
  row.querySelector(".for-options").hidden = !["select", "multiSelect"].includes(kind);
  row.querySelector(".for-bounds").hidden = !["number", "rating"].includes(kind);
}

function rebuilt() {
  renumber();
  builder.dispatchEvent(new CustomEvent("rebuilt"));
}

function prepare(row) {
  row.querySelector(".row-tools").hidden = false;
  fit(row);
}

builder.querySelector("[data-add]").hidden = false;
for (const row of [...rows.children]) {
  // Blank rows are for browsers without script.
  if (row.querySelector("input").value) prepare(row);
  else row.remove();
}
renumber();

builder.addEventListener("change", (event) => {
  if (event.target.matches("[data-kind]")) fit(event.target.closest("[data-row]"));
});
builder.addEventListener("click", (event) => {
  const row = event.target.closest("[data-row]");
  if (event.target.matches("[data-add]")) {
    rows.append(template.content.cloneNode(true));
    const added = rows.lastElementChild;
    prepare(added);
    renumber();
    added.querySelector("input").focus();
  } else if (event.target.matches("[data-remove]")) {
    row.remove();
    rebuilt();
  } else if (event.target.matches("[data-up]") && row.previousElementSibling) {
    row.previousElementSibling.before(row);
    rebuilt();
    event.target.focus();
  } else if (event.target.matches("[data-down]") && row.nextElementSibling) {
    row.nextElementSibling.after(row);
    rebuilt();
    event.target.focus();
  }
});
