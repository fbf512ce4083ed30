// Keeps the focus when the part of the page around it is replaced, as live pages do.
// htmx does so for elements with an id; for links and buttons in lists, this finds the one that does the same.

export function keepFocus() {
  let held = null;
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const element = document.activeElement;
    held = !element.id && detail.target.contains(element) ? purposeOf(element) : null;
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (!held || document.activeElement !== document.body) return;
    const same = [...document.querySelectorAll(`main ${held.tag}`)].find((element) => isSame(purposeOf(element), held));
    same?.focus({ preventScroll: true });
    held = null;
  });
}

/** What distinguishes an element for its user. */
function purposeOf(element) {
  return {
    tag: element.localName,
    href: element.getAttribute("href"),
    name: element.getAttribute("name"),
    action: element.form?.getAttribute("action"),
    label: element.getAttribute("aria-label") ?? element.textContent.trim(),
  };
}

function isSame(purpose, other) {
  return Object.keys(purpose).every((key) => purpose[key] === other[key]);
}
