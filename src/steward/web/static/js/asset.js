// The page of an asset: charts are drawn when scrolled into view and follow its readings.
import { show } from "./chart.js";

const FOLLOW_MS = 10000;
const FRESH_SECONDS = 60;
const near = new Set();
let timer = 0;

async function draw(element) {
  const answer = await fetch(element.dataset.assetChart);
  if (!answer.ok) {
    element.textContent = "The chart can't be drawn at the moment.";
    return;
  }
  const content = await answer.json();
  const empty = !content.series.some((one) => one.points.length);
  element.classList.toggle("is-empty", empty);
  if (empty && !element.content) {
    element.textContent = "No readings in this time.";
    return;
  }
  if (!element.content) element.textContent = "";
  await show(element, content);
}

const watch = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    watch.unobserve(entry.target);
    near.add(entry.target);
    draw(entry.target);
  }
}, { rootMargin: "300px" });
for (const element of document.querySelectorAll("[data-asset-chart]")) watch.observe(element);

document.addEventListener("telemetry", (event) => {
  // The first event repeats known values, which may be old.
  if (Date.now() / 1000 - event.detail.timestamp > FRESH_SECONDS) return;
  for (const place of document.querySelectorAll("[data-last-seen], [data-last-reading]")) {
    place.textContent = "lastReading" in place.dataset ? "Last reading just now" : "just now";
  }
  const followed = [...near].filter((element) => element.dataset.follows === event.detail.assetId);
  if (timer || !followed.length) return;
  timer = setTimeout(() => {
    timer = 0;
    followed.forEach(draw);
  }, FOLLOW_MS);
});

const own = document.querySelector("[data-own-range]");
const form = document.getElementById("own-range");
if (own && form) {
  form.hidden = form.hasAttribute("data-hidden-with-script");
  own.addEventListener("click", (event) => {
    event.preventDefault();
    form.hidden = false;
    form.querySelector("input:not([type=hidden])").focus();
  });
}
