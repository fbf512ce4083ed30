// The editor of a quotation: searches rates and adds up the total while typing. The server calculates again.
import { combobox } from "./combobox.js";

const editor = document.querySelector("[data-quotation]");
const lines = editor.querySelector("[data-lines]");
const search = document.getElementById("rate-search");
const state = editor.querySelector("[data-state]");
let next = lines.children.length;
let changed = false;

// Thousandths of a quantity and cents of a rate: integers, so that no rounding error occurs.
function whole(text, decimals) {
  const found = new RegExp(`^(\\d{1,11})(?:[.,](\\d{1,${decimals}}))?$`).exec(text.replace(/\s/g, ""));
  return found ? BigInt(found[1] + (found[2] ?? "").padEnd(decimals, "0")) : null;
}

function money(cents) {
  const digits = cents.toString().padStart(3, "0");
  return `${digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, "\u202f")}.${digits.slice(-2)}`;
}

function amount(line) {
  const rate = line.querySelector("input[data-rate]");
  const cents = rate ? whole(rate.value, 2) : BigInt(line.dataset.cents);
  const thousandths = whole(line.querySelector("[data-quantity]").value, 3);
  // Half a cent and more is a cent, as on the server.
  return thousandths && cents !== null ? (thousandths * cents + 500n) / 1000n : null;
}

function count() {
  let total = 0n;
  for (const line of lines.children) {
    const cents = amount(line);
    line.querySelector("[data-amount]").textContent = cents === null ? "–" : money(cents);
    total += cents ?? 0n;
  }
  editor.querySelector("[data-total]").textContent = money(total);
  editor.querySelector("[data-none]").hidden = lines.children.length > 0;
}

function note() {
  changed = true;
  state.textContent = "Not saved";
  count();
}

function add(kind) {
  const line = editor.querySelector(`[data-${kind}-line]`).content.firstElementChild.cloneNode(true);
  for (const element of line.querySelectorAll("[name], [id], [for]")) {
    for (const attribute of ["name", "id", "for"]) {
      const value = element.getAttribute(attribute);
      if (value) element.setAttribute(attribute, value.replace(".NEW.", `.${next}.`));
    }
  }
  next += 1;
  lines.append(line);
  return line;
}

function isFull() {
  const most = Number(editor.dataset.most);
  if (lines.children.length < most) return false;
  state.textContent = `A quotation has at most ${most} lines.`;
  return true;
}

// Without script these are for new lines.
for (const blank of lines.querySelectorAll(".is-blank")) blank.remove();

combobox(search, {
  find: async (text) => {
    const answer = await fetch(`${editor.dataset.rates}?${new URLSearchParams({ q: text })}`);
    return answer.ok ? answer.json() : [];
  },
  take: (rate) => {
    search.value = "";
    if (isFull()) return;
    const line = add("item");
    line.dataset.cents = rate.rateCents;
    line.querySelector("[data-item]").value = rate.id;
    line.querySelector("[data-code]").textContent = rate.code;
    line.querySelector("[data-text]").textContent = rate.description;
    line.querySelector("[data-unit]").textContent = rate.unit;
    line.querySelector("[data-rate]").textContent = money(BigInt(rate.rateCents));
    line.querySelector("[data-quantity]").focus();
    note();
  },
});
editor.querySelector("[data-add-star]").addEventListener("click", () => {
  if (isFull()) return;
  add("star").querySelector("[data-description]").focus();
  note();
});
lines.addEventListener("input", note);
lines.addEventListener("click", (event) => {
  if (!event.target.closest("[data-remove]")) return;
  event.target.closest("[data-line]").remove();
  search.focus();
  note();
});
editor.addEventListener("picked", () => {
  changed = true;
  state.textContent = "Not saved";
});
// Enter moves from a quantity to the next rate and doesn't submit the form.
editor.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.defaultPrevented || event.target.tagName !== "INPUT") return;
  event.preventDefault();
  if (event.target.matches("[data-quantity]")) search.focus();
});
editor.addEventListener("submit", () => { changed = false; });
window.addEventListener("beforeunload", (event) => {
  if (changed) event.preventDefault();
});
count();
