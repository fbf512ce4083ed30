// Loaded on every page of the app. Each part is a module; pages work without them.
import "../vendor/htmx.js";
import { closeOpened } from "./disclosure.js";
import { keepFocus } from "./focus.js";
import { enhanceForms } from "./forms.js";
import { connect } from "./live.js";
import { enhanceMenu } from "./menu.js";
import { enhancePickers } from "./picker.js";
import { enhanceSearch } from "./search.js";
import { listenForShortcuts } from "./shortcuts.js";
import { keepTicks } from "./ticks.js";
import { noteZone } from "./zone.js";

noteZone();
enhanceMenu();
closeOpened();
listenForShortcuts();
keepFocus();
keepTicks();
enhanceSearch();
enhanceForms();
// After htmx, which listens for the same event: a change before that would be lost.
document.addEventListener("DOMContentLoaded", () => enhancePickers(document));
document.addEventListener("htmx:load", (event) => {
  enhancePickers(event.detail.elt);
  connect();
});
connect();
