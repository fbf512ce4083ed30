// A form for each operation that sends the request to this service, with a key that the reader pastes.
// The key stays in this tab (sessionStorage) until it is closed or forgotten.

import { element, field } from "./elements.js";
import { send, showAnswer } from "./request.js";

const KEPT = { key: "steward-docs-key", orgId: "steward-docs-organization" };

export function addTryIt(articles) {
  for (const article of articles) {
    const details = element("details", { className: "try" }, element("summary", {}, "Try it"));
    // Built on demand: a page has up to twenty forms.
    details.addEventListener("toggle", () => {
      if (details.open && details.childElementCount === 1) details.append(...panel(article));
      if (details.open) fillKept(details);
    });
    article.querySelector(".examples").append(details);
  }
}

function panel(article) {
  const { method, path, body, bodyType } = article.dataset;
  const needsKey = !("public" in article.dataset);
  const id = `try-${article.id}`;
  const parameters = [...article.querySelectorAll(".parameters tr[data-in]")].map((row) => row.dataset);
  const fields = parameters.map((parameter) => parameterField(id, parameter));
  const text = body === undefined ? null : bodyField(id, body);
  const form = element(
    "form",
    { className: "try-form" },
    ...(needsKey ? [keyField(id)] : []),
    ...fields,
    ...(text ? [text] : []),
    ...(method === "GET" ? [] : [element("p", { className: "hint" }, "This acts on real data.")]),
    element(
      "p",
      { className: "actions" },
      element("button", { className: "button is-primary is-small" }, `Send ${method}`),
      ...(needsKey ? [forgetButton()] : []),
    ),
  );
  const answer = element("div", { className: "try-answer" });
  answer.setAttribute("aria-live", "polite");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    keep(form);
    const values = Object.fromEntries(new FormData(form));
    answer.replaceChildren(element("p", { className: "quiet" }, "Waiting for the answer…"));
    showAnswer(answer, await send({ method, path, parameters, values, needsKey, bodyType }));
  });
  return [form, answer];
}

function keyField(id) {
  const input = element("input", { id: `${id}-key`, name: "key", type: "password", required: true, autocomplete: "off", spellcheck: false, placeholder: "svc_live_…" });
  return field(input, "API key", "Stays in this tab, and is sent to this service only.");
}

function parameterField(id, { in: place, name, required, choices }) {
  const settings = { id: `${id}-${place}-${name}`, name: `${place}:${name}`, required: required !== undefined };
  const input = choices ? choice(settings, choices.split(" ")) : element("input", { ...settings, autocomplete: "off", spellcheck: false });
  return field(input, name, required === undefined ? `${place}, optional` : "");
}

function choice(settings, choices) {
  const options = ["", ...choices].map((value) => element("option", { value }, value));
  return element("select", settings, ...options);
}

function bodyField(id, body) {
  const rows = Math.min(16, body.split("\n").length + 1);
  const area = element("textarea", { id: `${id}-body`, name: "body", rows, spellcheck: false, className: "try-body" });
  area.value = body;
  return field(area, "Body", "");
}

function forgetButton() {
  const button = element("button", { type: "button", className: "button is-small" }, "Forget the key");
  button.addEventListener("click", () => {
    sessionStorage.removeItem(KEPT.key);
    for (const input of document.querySelectorAll('.try-form [name="key"]')) input.value = "";
  });
  return button;
}

function keep(form) {
  for (const [name, place] of Object.entries(KEPT)) {
    const input = keptInput(form, name);
    if (input) sessionStorage.setItem(place, input.value.trim());
  }
}

function fillKept(root) {
  for (const [name, place] of Object.entries(KEPT)) {
    const input = keptInput(root, name);
    if (input && !input.value) input.value = sessionStorage.getItem(place) ?? "";
  }
}

function keptInput(root, name) {
  return root.querySelector(name === "key" ? '[name="key"]' : `[name="path:${name}"]`);
}
