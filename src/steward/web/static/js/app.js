// What every page of the app does beside showing itself. Each part is a module; a page without it still works.
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
// Once htmx listens, which has asked for the same event before: what is picked earlier would reach nobody.
document.addEventListener("DOMContentLoaded", () => enhancePickers(document));
document.addEventListener("htmx:load", (event) => {
  enhancePickers(event.detail.elt);
  connect();
});
connect();
