// Marks the current section in the contents and scrolls the contents to it.

export function followScrolling(side) {
  if (!side) return;
  const links = new Map();
  for (const link of side.querySelectorAll('a[href^="#"]')) {
    const target = document.getElementById(link.hash.slice(1));
    if (target) links.set(target, link);
  }
  const targets = [...links.keys()];
  if (targets.length === 0) return;
  let current = null;
  let waiting = false;

  function mark() {
    waiting = false;
    const link = links.get(read(targets));
    if (link === current) return;
    current?.removeAttribute("aria-current");
    current = link ?? null;
    if (!current) return;
    current.setAttribute("aria-current", "true");
    keepInView(side, current);
  }

  function later() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(mark);
  }

  addEventListener("scroll", later, { passive: true });
  addEventListener("resize", later, { passive: true });
  mark();
}

// The last one that begins above the upper third; at the very end of the page the last that is visible at all.
function read(targets) {
  const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const line = atEnd && scrollY > 0 ? innerHeight : innerHeight / 3;
  let found;
  for (const target of targets) {
    if (target.getBoundingClientRect().top > line) break;
    found = target;
  }
  return found;
}

function keepInView(side, link) {
  const outer = side.getBoundingClientRect();
  const inner = link.getBoundingClientRect();
  if (inner.top < outer.top + 48) side.scrollTop -= outer.top + 48 - inner.top;
  if (inner.bottom > outer.bottom - 48) side.scrollTop += inner.bottom - outer.bottom + 48;
}
