// A deck on a wall screen, which no one reloads by hand. Shows the decks in turn and a message when its link has ended.
import "../vendor/htmx.js";
import "./deck.js";
import { connect } from "./live.js";
import { noteZone } from "./zone.js";

const { next, seconds } = document.body.dataset;
const clock = document.querySelector(".wall-clock");

noteZone();
connect();
setInterval(proceed, Number(seconds) * 1000);
setInterval(tick, 5000);
tick();

/** Checks that the page is there first: a wall must not end on the browser's error page. */
async function proceed() {
  try {
    const answer = await fetch(next);
    if (answer.ok && !answer.redirected) location.replace(next);
    else if (answer.status === 404) end();
  } catch {
    // The server can't be reached: keep the current page and try again later.
  }
}

function tick() {
  clock.textContent = new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

function end() {
  const message = document.createElement("p");
  message.className = "wall-end";
  message.textContent = "This screen has been switched off: its access has ended.";
  document.getElementById("main").replaceChildren(message);
}

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status === 404) proceed();
});
document.addEventListener("live-end", (event) => {
  if (event.detail.reason === "session") end();
});
