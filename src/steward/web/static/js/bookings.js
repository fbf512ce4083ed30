// The grid of bookings: a row per resource, time from left to right. Drag to book, move and resize.
// The list of the day and the page of a booking do the same; phones get these.
import { create } from "../vendor/event-calendar.js";
import { bookDialog, span } from "./booking_dialog.js";
import { hold, isHeld, onRelease } from "./hold.js";

const WIDE = "(min-width: 60rem)";
const VIEWS = { day: "resourceTimelineDay", week: "resourceTimelineWeek" };
// Updates in quick succession count as one.
const QUIET_MS = 500;
const language = document.documentElement.lang || "en";

const element = document.getElementById("grid");
const problem = document.getElementById("grid-problem");
const mayWrite = element?.hasAttribute("data-may-write");

for (const form of document.querySelectorAll("form[data-instant]")) {
  form.querySelector("[data-no-script]")?.remove();
  form.addEventListener("change", () => form.requestSubmit());
}
problem?.addEventListener("click", () => say(""));
if (element && matchMedia(WIDE).matches) show();

function show() {
  document.body.classList.add("has-grid");
  element.hidden = false;
  new MutationObserver(dropRoles).observe(element, { subtree: true, childList: true, attributeFilter: ["role"] });
  for (const hint of document.querySelectorAll(".grid-hint")) hint.hidden = false;
  const state = { calendar: null, release: null, missed: false, timer: 0 };
  const dialog = mayWrite ? bookDialog(document.getElementById("book"), language) : null;
  state.calendar = create(element, options(state, dialog));
  element.addEventListener("live", () => {
    clearTimeout(state.timer);
    state.timer = setTimeout(() => load(state), QUIET_MS);
  });
  onRelease(() => state.missed && load(state));
  dialog?.addEventListener("booked", () => load(state));
  dialog?.addEventListener("close", () => state.calendar.unselect());
}

function options(state, dialog) {
  const week = element.dataset.view === "week";
  return {
    view: VIEWS[element.dataset.view],
    date: element.dataset.date,
    locale: language,
    firstDay: 1,
    headerToolbar: { start: "", center: "", end: "" },
    height: "auto",
    slotDuration: week ? "02:00:00" : "00:30:00",
    snapDuration: week ? "00:30:00" : "00:15:00",
    slotLabelInterval: week ? "04:00:00" : "01:00:00",
    slotWidth: week ? 52 : 36,
    slotLabelFormat: { hour: "2-digit", minute: "2-digit", hour12: false },
    dayHeaderFormat: { weekday: "short", day: "numeric", month: "short" },
    scrollTime: "07:00:00",
    nowIndicator: true,
    editable: mayWrite,
    selectable: mayWrite,
    selectBackgroundColor: "var(--accent-wash)",
    resources: [],
    events: [],
    datesSet: () => load(state),
    select: ({ start, end, resource }) => dialog.openAt({ resource, start, end }),
    eventDragStart: () => { state.release = hold(element); },
    eventDragStop: () => release(state),
    eventResizeStart: () => { state.release = hold(element); },
    eventResizeStop: () => release(state),
    eventContent: ({ event }) => ({ domNodes: [eventLink(state, event)] }),
    eventDidMount: ({ el, event }) => { el.title = `${event.title}, ${span(event.start, event.end, language)}`; },
    eventDrop: (info) => move(state, info),
    eventResize: (info) => move(state, info),
    resourceLabelContent: ({ resource }) => ({ domNodes: [resourceLabel(resource)] }),
  };
}

// The library's table roles don't match its elements. Screen readers need the links, which are in order of time.
function dropRoles() {
  for (const each of element.querySelectorAll("[role]")) each.removeAttribute("role");
  for (const each of element.querySelectorAll("[aria-colindex]")) each.removeAttribute("aria-colindex");
}

/** Ignores the click that follows a drag. */
function release(state) {
  setTimeout(() => {
    state.release();
    state.release = null;
  });
}

function eventLink(state, event) {
  const link = document.createElement("a");
  link.href = `/app/bookings/${event.id}`;
  link.textContent = event.title;
  link.draggable = false;
  link.addEventListener("click", (click) => { if (state.release) click.preventDefault(); });
  return link;
}

function resourceLabel(resource) {
  const link = document.createElement("a");
  link.href = `/app/bookings/resources/${resource.id}`;
  link.textContent = resource.title;
  const detail = document.createElement("span");
  detail.className = "quiet small";
  detail.textContent = resource.extendedProps.detail;
  const label = document.createElement("div");
  label.className = "grid-resource";
  label.append(link, detail);
  return label;
}

async function load(state) {
  // Called before the calendar exists.
  await Promise.resolve();
  if (!state.calendar) return;
  const { activeStart, activeEnd } = state.calendar.getView();
  const query = new URLSearchParams({ from: seconds(activeStart), to: seconds(activeEnd) });
  for (const [name, value] of Object.entries(JSON.parse(element.dataset.filter))) if (value) query.set(name, value);
  const answer = await fetch(`/app/bookings/events.json?${query}`);
  if (!answer.ok || !isJson(answer)) return;
  const { resources, bookings } = await answer.json();
  state.missed = isHeld(element);
  if (state.missed) return;
  state.calendar.setOption("resources", resources.map((each) => ({
    id: each.id, title: each.name, extendedProps: { detail: each.detail },
  })));
  state.calendar.setOption("events", bookings.map(asEvent));
  element.dataset.loaded = bookings.length;
}

function asEvent(booking) {
  return {
    id: booking.id,
    resourceIds: [booking.resourceId],
    start: new Date(booking.startTime * 1000),
    end: new Date(booking.endTime * 1000),
    title: booking.who ? `${booking.title} · ${booking.who}` : booking.title,
    editable: booking.movable,
    startEditable: booking.movable,
    durationEditable: booking.movable,
    classNames: [`is-${booking.status.toLowerCase()}`],
  };
}

async function move(state, { event, newResource, revert }) {
  say("");
  const body = new URLSearchParams({ startTime: seconds(event.start), endTime: seconds(event.end) });
  if (newResource) body.set("resourceId", newResource.id);
  let answer = null;
  try {
    answer = await fetch(`/app/bookings/${event.id}/time.json`, { method: "POST", body });
  } catch {
    // Network error: reported below.
  }
  if (answer?.ok && isJson(answer)) return;
  revert();
  say(answer && isJson(answer) ? (await answer.json()).message : "This could not be stored. Load the page again.");
  load(state);
}

function say(text) {
  problem.textContent = text;
  problem.hidden = !text;
}

function seconds(date) {
  return String(Math.floor(date.getTime() / 1000));
}

function isJson(answer) {
  return (answer.headers.get("content-type") || "").startsWith("application/json");
}
