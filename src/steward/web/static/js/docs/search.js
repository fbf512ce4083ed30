// Shows the results of the search page while typing; without script the form opens that page.

const PAUSE = 120;

export function searchWhileTyping(input) {
  if (!input || location.pathname === "/docs/search") return;
  const results = document.querySelector("#results");
  const content = document.querySelector("#content");
  let timer;
  let asked = 0;

  async function show() {
    const query = input.value.trim();
    const number = ++asked;
    const found = query ? await find(query) : null;
    if (number !== asked) return; // a later search has started
    results.replaceChildren(...(found ? [found] : []));
    content.hidden = Boolean(found);
    if (found) scrollTo(0, 0);
  }

  function clear() {
    input.value = "";
    show();
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, PAUSE);
  });
  // A result on this page changes only the hash.
  results.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link && link.pathname === location.pathname) clear();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && input.value) clear();
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && !isTyping(event.target)) {
      event.preventDefault();
      input.focus();
    }
  });
}

async function find(query) {
  try {
    const answer = await fetch(`/docs/search?${new URLSearchParams({ q: query })}`, { credentials: "omit" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.querySelector("#found");
  } catch {
    return null;
  }
}

function isTyping(target) {
  return target.closest("input, textarea, select") !== null;
}
