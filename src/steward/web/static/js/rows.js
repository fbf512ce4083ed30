// Rows of a form that can be added and removed: an element with `data-rows` holds the rows and a template for another one.
// Without script there are some blank rows instead.
for (const group of document.querySelectorAll("[data-rows]")) {
  const list = group.querySelector("[data-row-list]");
  const template = group.querySelector("template");
  let next = list.children.length;

  const addRow = () => {
    const row = template.content.firstElementChild.cloneNode(true);
    for (const field of row.querySelectorAll("[name]")) field.name = field.name.replace("NEW", next);
    next += 1;
    list.append(row);
    enable(row);
    row.querySelector("input, select").focus();
  };

  const enable = (row) => {
    const button = row.querySelector("[data-remove-row]");
    button.hidden = false;
    button.addEventListener("click", () => {
      const neighbour = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      (neighbour?.querySelector("input, select") ?? add).focus();
    });
  };

  for (const row of list.querySelectorAll("[data-blank]")) row.remove();
  for (const row of list.children) enable(row);
  const add = group.querySelector("[data-add-row]");
  add.hidden = false;
  add.addEventListener("click", addRow);
}
