// Charts and gauges of a deck; htmx fetches the other cards.
import { draw, show } from "./chart.js";

for (const element of document.querySelectorAll("[data-chart]")) {
  draw(element);
  setInterval(() => document.hidden || redraw(element), Number(element.dataset.refresh) * 1000);
}
for (const element of document.querySelectorAll("[data-gauge]")) show(element, JSON.parse(element.dataset.gauge));

/** Keeps the current chart until there is newer data. */
async function redraw(element) {
  try {
    const answer = await fetch(element.dataset.chart);
    if (answer.ok) await show(element, await answer.json());
  } catch {
    // Try again at the next refresh.
  }
}

document.addEventListener("telemetry", ({ detail: { assetId, values } }) => {
  for (const element of document.querySelectorAll("[data-gauge]")) {
    const { asset, key } = element.dataset;
    if (asset === assetId && typeof values[key] === "number") show(element, { ...element.content ?? JSON.parse(element.dataset.gauge), value: values[key] });
  }
});

// A card keeps its content while the server can't be reached.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status >= 400) event.detail.shouldSwap = false;
});
