// The tablet at a door. It refreshes itself; its buttons are forms that work without this.
import "../vendor/htmx.js";
import { noteZone } from "./zone.js";

noteZone();
// A double press counts once.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
// The error was shown; the next refresh shows the current state.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status >= 400) event.detail.shouldSwap = false;
});
