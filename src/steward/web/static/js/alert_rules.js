// The form of an alert rule: adds rows for conditions.
const MOST = 20;

const button = document.querySelector("[data-add-condition]");
if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const rows = document.querySelectorAll("#conditions .condition");
    if (rows.length >= MOST) return;
    const row = rows[rows.length - 1].cloneNode(true);
    for (const error of row.querySelectorAll(".error")) error.remove();
    for (const field of row.querySelectorAll("input, select")) {
      field.name = field.name.replace(/^conditions\.\d+/, `conditions.${rows.length}`);
      field.setAttribute("aria-label", field.getAttribute("aria-label").replace(/\d+$/, rows.length + 1));
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
      if (field.tagName === "INPUT") field.value = "";
    }
    rows[rows.length - 1].after(row);
    row.querySelector("input").focus();
    button.hidden = rows.length + 1 >= MOST;
  });
}
