// Drag and resize the cards of a deck; "Save layout" sends all positions. Without script, each card has fields for them.
import { GridStack } from "../vendor/gridstack.js";

const editor = document.getElementById("editor");
const form = document.getElementById("layout");

function begin() {
  // Without script, our own grid places the cards.
  editor.classList.remove("deck-grid");
  editor.classList.add("grid-stack");
  for (const item of editor.querySelectorAll(".deck-item")) item.className = "deck-item grid-stack-item";
  const grid = GridStack.init({
    column: 12,
    cellHeight: 72,
    margin: 6,
    handle: ".deck-handle",
    animate: false,
    columnOpts: { breakpoints: [{ w: 600, c: 1 }] },
  }, editor);
  // On a phone the cards are stacked, so a move there would not match the grid of a desktop.
  grid.on("change", () => {
    if (grid.getColumn() === 12) remember(grid);
  });
}

function remember(grid) {
  const fields = document.getElementById("layout-fields");
  fields.replaceChildren();
  grid.getGridItems().forEach((item, at) => {
    const { x, y, w, h } = item.gridstackNode;
    const place = { id: item.getAttribute("gs-id"), x, y, w, h };
    for (const [name, value] of Object.entries(place)) {
      const input = document.createElement("input");
      input.type = "hidden";
      input.name = `cards.${at}.${name}`;
      input.value = value;
      fields.append(input);
    }
  });
  form.hidden = false;
}

begin();
