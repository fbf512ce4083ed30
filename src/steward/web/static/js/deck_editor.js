// Cards of a deck are dragged and resized; "Save layout" sends where all of them lie. Without this, each card has fields for it.
import { GridStack } from "../vendor/gridstack.js";

const editor = document.getElementById("editor");
const form = document.getElementById("layout");

function begin() {
  // Only now: without script the cards lie in our own grid.
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
  // On a phone all cards lie below each other: what is moved there would not be where it was on a desk.
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
