// Keyboard shortcuts. They are off while the person types.
const PLACES = { t: "/app", w: "/app/work-orders", a: "/app/assets", b: "/app/bookings", v: "/app/visitors", l: "/app/alerts" };

export function listenForShortcuts() {
  const dialog = document.getElementById("shortcuts");
  let going = false;
  document.querySelector("[data-shortcuts]")?.addEventListener("click", () => dialog.showModal());
  dialog?.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
    if (going) {
      going = false;
      const place = PLACES[event.key];
      if (place && document.querySelector(`.menu a[href="${place}"]`)) window.location.assign(place);
      return;
    }
    if (event.key === "g") going = true;
    else if (event.key === "?") dialog?.showModal();
    else if (event.key === "n") document.querySelector("[data-key=n]")?.click();
    else if (event.key === "/") {
      event.preventDefault();
      document.querySelector("[data-search]")?.focus();
    }
  });
}

function isWriting(element) {
  return element.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null;
}
