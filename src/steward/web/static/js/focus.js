// Keeps the focus when a part of the page that holds it is replaced, as happens by itself on pages that follow what others do.
// htmx does so for elements with an id; of links and buttons in lists, the one that does the same is as good.

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

/** What tells an element from others to who uses it. */
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
