// Closes open menus and dialogs on Esc and on a click outside.
export const FLOATING = "details.person[open], details.drop[open], details.confirm[open]";

export function closeOpened() {
  document.addEventListener("click", (event) => {
    for (const opened of document.querySelectorAll(FLOATING)) {
      if (!opened.contains(event.target)) opened.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const opened of document.querySelectorAll(FLOATING)) {
      opened.open = false;
      if (opened.contains(document.activeElement)) opened.querySelector("summary").focus();
    }
  });
}
