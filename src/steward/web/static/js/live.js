// Live updates: one EventSource for the page, if it has live parts.
//
// data-live="work-orders alerts"           gets a CustomEvent `live` when one of its topics changed, at most every two seconds
//                                          (data-live-seconds="5": five) and never while it is held (hold.js)
// data-live-value="ast_1:Temperature"      shows the newest value of an asset; data-live-digits="1" rounds it
//
// `telemetry` is dispatched on the document with every reading, for charts; `live-end` when the server has ended the
// stream for good. <html data-live="on|off"> tells whether the page is connected. <body data-live-source="/screen/…/live">
// names another stream than that of the person who is logged in.
import { isHeld, onRelease } from "./hold.js";

const FRESH_MS = 1000;
// After the browser gave up because the response was not a stream.
const RETRY_MS = [2000, 60000];
// The server replays changes since the page was requested, up to ten seconds back.
const LATE_MS = 8000;

const SECONDS_BETWEEN = 2;

// When each topic last changed, and when each part that is being fetched was requested.
const newsAt = new Map();
const askedAt = new WeakMap();
// By part of the page: pending changes, the time of the last event, and the timer of the next.
const waiting = new Map();
const heardAt = new Map();
const timers = new Map();

let source = null;
let wanted = "";
let timer = 0;
let delay = RETRY_MS[0];
let stale = false;
let over = false;

/** Subscribes to what the page shows. Call it again after elements were added or removed; repeated calls are cheap. */
export function connect() {
  const query = currentQuery();
  if (query === wanted && (source || timer || over)) return;
  const changed = wanted !== "" && query !== wanted;
  disconnect();
  wanted = query;
  over = false;
  stale = stale || changed;
  if (query && !document.hidden) open();
}

function disconnect() {
  clearTimeout(timer);
  timer = 0;
  source?.close();
  source = null;
  mark("off");
}

function currentQuery() {
  const topics = new Set();
  for (const element of liveElements()) topicsOf(element).forEach((topic) => topics.add(topic));
  const assets = new Set();
  for (const element of valueElements()) assets.add(assetAndKey(element)[0]);
  if (!topics.size && !assets.size) return "";
  const query = new URLSearchParams({ topics: [...topics].sort().join(",") });
  if (assets.size) query.set("assets", [...assets].sort().slice(0, 200).join(","));
  return `?${query}`;
}

function open() {
  const age = Math.min(LATE_MS, pageAge());
  source = new EventSource(`${document.body.dataset.liveSource ?? "/app/live"}${wanted}&age=${age}`);
  source.addEventListener("hello", onHello);
  source.addEventListener("reset", refreshAll);
  source.addEventListener("end", onEnd);
  source.addEventListener("telemetry", onTelemetry);
  source.addEventListener("error", onError);
  for (const topic of new URLSearchParams(wanted).get("topics").split(",").filter(Boolean)) {
    source.addEventListener(topic, (event) => dispatchTopic(topic, JSON.parse(event.data).ids));
  }
}

/** Milliseconds since this page was requested, not since the form that redirected to it was sent. */
function pageAge() {
  const asked = performance.getEntriesByType("navigation")[0]?.requestStart ?? 0;
  return Math.round(performance.now() - asked);
}

function onHello() {
  mark("on");
  delay = RETRY_MS[0];
  if (stale || pageAge() > LATE_MS) refreshAll();
  stale = true;
}

function onEnd(event) {
  if (JSON.parse(event.data).reason === "restart") return;
  // The session has ended or newer pages replaced this one: reconnecting immediately would not help.
  disconnect();
  over = true;
  document.dispatchEvent(new CustomEvent("live-end", { detail: JSON.parse(event.data) }));
}

function onError() {
  mark("off");
  stale = true;
  if (!source || source.readyState !== EventSource.CLOSED) return;
  disconnect();
  timer = setTimeout(() => {
    timer = 0;
    if (!document.hidden) open();
  }, delay);
  delay = Math.min(delay * 2, RETRY_MS[1]);
}

function onTelemetry(event) {
  const reading = JSON.parse(event.data);
  for (const element of valueElements()) {
    const [assetId, key] = assetAndKey(element);
    if (assetId === reading.assetId && key in reading.values) showValue(element, reading.values[key]);
  }
  document.dispatchEvent(new CustomEvent("telemetry", { detail: reading }));
}

function showValue(element, value) {
  const text = formatValue(value, element.dataset.liveDigits);
  if (element.textContent === text) return;
  element.textContent = text;
  element.classList.add("is-fresh");
  setTimeout(() => element.classList.remove("is-fresh"), FRESH_MS);
}

/** Formats a number in the page's language; other values stay as they are. */
export function formatValue(value, digits) {
  if (typeof value !== "number") return value === null ? "–" : String(value);
  const most = digits === undefined ? 2 : Number(digits);
  const least = digits === undefined ? 0 : most;
  const language = globalThis.document?.documentElement.lang || "en";
  return value.toLocaleString(language, { minimumFractionDigits: least, maximumFractionDigits: most });
}

function refreshAll() {
  for (const element of liveElements()) announce(element, topicsOf(element), null);
}

function dispatchTopic(topic, ids) {
  newsAt.set(topic, performance.now());
  for (const element of liveElements()) {
    if (topicsOf(element).includes(topic)) announce(element, [topic], ids);
  }
}

/** Fetches a part of the page now, without a pause: for scripts that changed what it shows. */
export function refresh(element) {
  for (const topic of topicsOf(element)) newsAt.set(topic, performance.now());
  heardAt.delete(keyOf(element));
  announce(element, topicsOf(element), null);
}

/** Notifies a part of the page of changes as soon as it may be replaced. */
function announce(element, topics, ids) {
  const key = keyOf(element);
  const before = waiting.get(key);
  waiting.set(key, before ? { topics: [...new Set([...before.topics, ...topics])], ids: before.ids && ids && [...before.ids, ...ids] } : { topics, ids });
  deliver(key);
}

function deliver(key) {
  const element = typeof key === "string" ? document.getElementById(key) : key;
  if (!element?.isConnected) waiting.delete(key);
  const detail = waiting.get(key);
  // A held part is notified when it is released.
  if (!detail || timers.has(key) || isHeld(element)) return;
  const pause = (heardAt.get(key) ?? -Infinity) + 1000 * (element.dataset.liveSeconds ?? SECONDS_BETWEEN) - performance.now();
  if (pause > 0) {
    timers.set(key, setTimeout(() => {
      timers.delete(key);
      deliver(key);
    }, pause));
    return;
  }
  waiting.delete(key);
  heardAt.set(key, performance.now());
  element.dispatchEvent(new CustomEvent("live", { detail }));
}

function deliverAll() {
  for (const key of [...waiting.keys()]) deliver(key);
}

/** The new version of a part has the same id. */
function keyOf(element) {
  return element.id || element;
}

/** A part requested before the change may not show it. */
function lookAgain({ target, detail }) {
  if (!target.dataset?.live) return;
  const topics = topicsOf(target).filter((topic) => newsAt.get(topic) > askedAt.get(detail.xhr));
  if (topics.length) announce(target, topics, null);
}

/** Automatic updates don't replace a held part; it is fetched again when released. */
function spareHeld(event) {
  const { target, requestConfig } = event.detail;
  const byItself = (requestConfig.triggeringEvent?.type ?? "live") === "live";
  if (!byItself || !isHeld(target)) return;
  event.detail.shouldSwap = false;
  if (target.dataset.live) announce(target, topicsOf(target), null);
}

function liveElements() {
  return document.body.querySelectorAll("[data-live]");
}

function valueElements() {
  return document.querySelectorAll("[data-live-value]");
}

function topicsOf(element) {
  return element.dataset.live.split(/\s+/).filter(Boolean);
}

/** Keys may contain colons, identifiers don't. */
function assetAndKey(element) {
  const text = element.dataset.liveValue;
  const colon = text.indexOf(":");
  return [text.slice(0, colon), text.slice(colon + 1)];
}

function mark(state) {
  document.documentElement.dataset.live = state;
}

// Browsers open six connections to a host over HTTP/1.1, so hidden pages close theirs.
function onVisibility() {
  if (document.hidden) {
    disconnect();
    stale = true;
    over = false;
  } else {
    wanted = "";
    connect();
  }
}

if (globalThis.document) {
  document.addEventListener("visibilitychange", onVisibility);
  document.addEventListener("htmx:beforeRequest", ({ detail }) => askedAt.set(detail.xhr, performance.now()));
  document.addEventListener("htmx:beforeSwap", spareHeld);
  document.addEventListener("htmx:afterSettle", lookAgain);
  onRelease(deliverAll);
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", (event) => event.persisted && onVisibility());
}
