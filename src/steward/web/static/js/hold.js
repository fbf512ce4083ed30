// Live updates don't replace a part in use. A part is held while a pointer is down on it, while something in it is dragged,
// while one of its fields has the focus or one of its menus is open, and while a script holds it.
import { FLOATING } from "./disclosure.js";

const FIELDS = "input:not([type=checkbox], [type=radio], [type=button], [type=submit]), select, textarea, [contenteditable]";

const holders = new Set();
const listeners = new Set();
let pressed = null;
let dragged = null;

export function isHeld(part) {
  const focused = document.activeElement;
  return part.contains(pressed)
    || part.contains(dragged)
    || (focused !== null && focused.matches(FIELDS) && part.contains(focused))
    || part.querySelector(FLOATING) !== null
    || [...holders].some((holder) => holder.part.contains(part) || part.contains(holder.part));
}

/** Holds a part of the page until the returned function is called. */
export function hold(part) {
  const holder = { part };
  holders.add(holder);
  return () => {
    if (holders.delete(holder)) released();
  };
}

/** Calls `listener` whenever a part may no longer be held. */
export function onRelease(listener) {
  listeners.add(listener);
}

/** The click comes after the release and must find the pressed element. */
function released() {
  setTimeout(() => listeners.forEach((listener) => listener()));
}

function press({ target }) {
  pressed = target;
  // An element removed while dragged fires no dragend.
  dragged = null;
}

function letGo() {
  if (pressed === null) return;
  pressed = null;
  released();
}

function onPointerCancel({ pointerType }) {
  // The browser takes over to scroll or drag; the finger is still down.
  if (pointerType !== "touch") letGo();
}

function onTouchEnd({ touches }) {
  if (!touches.length) letGo();
}

// The button was released outside the window.
function onPointerMove({ buttons, pointerType }) {
  if (pressed !== null && pointerType === "mouse" && buttons === 0) letGo();
}

if (globalThis.document) {
  const listen = (name, listener) => document.addEventListener(name, listener, { capture: true, passive: true });
  listen("pointerdown", press);
  listen("pointerup", letGo);
  listen("pointercancel", onPointerCancel);
  listen("pointermove", onPointerMove);
  listen("touchend", onTouchEnd);
  listen("touchcancel", onTouchEnd);
  listen("dragstart", ({ target }) => { dragged = target; });
  listen("dragend", () => {
    dragged = null;
    released();
  });
  listen("focusout", released);
  listen("toggle", released);
  addEventListener("blur", letGo);
}
