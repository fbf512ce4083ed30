// On the board a drag is a move. The server decides; a card that may not move goes back and says why.
import Sortable from "../vendor/sortable.js";

const refusal = document.getElementById("refusal");
const dialog = document.getElementById("reason-dialog");
let dragging = false;
let missed = false;

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
      onStart: () => { dragging = true; },
      onEnd: async (event) => {
        const moved = event.from !== event.to && (await drop(event));
        dragging = false;
        if (moved || missed) refresh();
      },
    });
  }
}

function refresh() {
  missed = false;
  document.getElementById("board").dispatchEvent(new CustomEvent("live"));
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

// What others do must not take the board away from under a card that is being carried.
document.addEventListener("live", (event) => {
  if (!dragging) return;
  event.stopImmediatePropagation();
  missed = true;
}, true);
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!dragging) return;
  event.detail.shouldSwap = false;
  missed = true;
});

enhance(document);
document.addEventListener("htmx:load", (event) => enhance(event.detail.elt.parentNode ?? document));
