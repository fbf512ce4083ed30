// The screen beside a door. It fetches itself anew; its buttons are forms that work without this.
import "../vendor/htmx.js";
import { noteZone } from "./zone.js";

noteZone();
// Whoever presses twice wants it once.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
// What went wrong was said; the next look shows the door as it is.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status >= 400) event.detail.shouldSwap = false;
});
