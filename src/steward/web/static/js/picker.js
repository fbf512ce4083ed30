// Turns a field for an identifier into a search by name, with the identifier in a hidden field.
import { combobox } from "./combobox.js";

export function enhancePickers(root) {
  const fields = root.matches?.("[data-picker]") ? [root] : root.querySelectorAll("[data-picker]");
  for (const field of fields) enhance(field);
}

function enhance(field) {
  const input = field.querySelector("input:not([type=hidden])");
  if (!input || input.getAttribute("role") === "combobox") return;
  const extra = JSON.parse(input.dataset.extra || "[]");
  const hidden = document.createElement("input");
  hidden.type = "hidden";
  hidden.name = input.name;
  hidden.value = input.value;
  input.removeAttribute("name");
  let shown = input.dataset.label || input.value;
  input.value = shown;
  if (!input.placeholder) input.placeholder = "Search by name";
  field.append(hidden);

  const set = (value, label) => {
    hidden.value = value;
    shown = label;
    input.value = label;
    hidden.dispatchEvent(new Event("change", { bubbles: true }));
    field.dispatchEvent(new CustomEvent("picked", { bubbles: true, detail: { value, label } }));
  };
  combobox(input, {
    find: async (text) => {
      const query = text === shown ? "" : text;
      const answer = await fetch(`/app/pick/${field.dataset.picker}?${new URLSearchParams({ q: query })}`);
      const found = answer.ok ? await answer.json() : [];
      const own = extra.map(([id, label]) => ({ id, label }));
      return query ? found : [...own, ...found];
    },
    take: (option) => set(option.id, option.label),
  });
  // Text that matches no name is no choice: empty text clears the field, other text restores the last choice.
  input.addEventListener("change", (event) => {
    event.stopPropagation();
    if (input.value.trim() === "") set("", "");
    else if (input.value !== shown) input.value = shown;
  });
}
