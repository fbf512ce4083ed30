// Dragging a card on the board makes a move. If the server refuses, the card returns and shows the reason.
import Sortable from "../vendor/sortable.js";
import { hold } from "./hold.js";
import { refresh } from "./live.js";

const refusal = document.getElementById("refusal");
const dialog = document.getElementById("reason-dialog");
const releases = new WeakMap();

function enhance(root) {
  for (const lane of root.querySelectorAll("[data-board]")) {
    Sortable.create(lane, {
      group: "board",
      draggable: "[data-id]",
      filter: "details, form, button",
      preventOnFilter: false,
      animation: 120,
      delay: 150,
      delayOnTouchOnly: true,
      sort: false,
      ghostClass: "is-ghost",
      onStart: ({ item }) => releases.set(item, hold(board())),
      onEnd: async (event) => {
        // The card stays where it was dropped until the server has answered.
        const moved = event.from !== event.to && (await drop(event));
        releases.get(event.item)();
        if (moved) refresh(board());
      },
    });
  }
}

function board() {
  return document.getElementById("board");
}

/** Whether the order is where it was dropped. */
async function drop({ item, from, to, oldIndex }) {
  refusal.hidden = true;
  const back = () => from.insertBefore(item, from.children[oldIndex] ?? null);
  const body = new URLSearchParams({ status: to.dataset.status });
  if ("needsReason" in to.dataset) {
    const reason = await ask();
    if (reason === null) {
      back();
      return false;
    }
    body.set("reason", reason);
  }
  let message = "The server can't be reached; the order stays where it was.";
  try {
    const answer = await fetch(`/app/work-orders/${item.dataset.id}/drop`, { method: "POST", body });
    if (answer.ok) return true;
    message = (await answer.json()).message;
  } catch {
    // Said below.
  }
  back();
  refusal.textContent = message;
  refusal.hidden = false;
  return false;
}

function ask() {
  const text = document.getElementById("reason-text");
  text.value = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "ok" && text.value.trim() ? text.value : null), { once: true });
  });
}

enhance(document);
document.addEventListener("htmx:load", (event) => enhance(event.detail.elt.parentNode ?? document));
