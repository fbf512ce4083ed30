// A text field with a list of results: arrows choose, Enter takes, Esc closes.
let count = 0;
const ARROWS = new Map([["ArrowDown", 1], ["ArrowUp", -1]]);

// `find` returns the results for a text, `take` gets the choice. `submits`: Enter without a choice sends the
// form; otherwise it waits for one.
export function combobox(input, { find, take, delay = 150, submits = false }) {
  const list = new OptionList(input);
  let asked = 0;
  let timer;
  // While the list belongs to an earlier text, keys wait for the current one.
  let written = false;
  let waiting = [];

  const ask = async () => {
    const mine = (asked += 1);
    const text = input.value.trim();
    clearTimeout(timer);
    const found = await find(text).catch(() => []);
    // Ignore the response to an outdated search.
    if (mine !== asked || document.activeElement !== input) return;
    list.show(found);
    if (text !== input.value.trim()) return;
    written = false;
    for (const key of waiting.splice(0)) press(key);
  };
  const forget = () => {
    asked += 1;
    clearTimeout(timer);
    [written, waiting] = [false, []];
    list.close();
  };
  const pick = (option) => {
    forget();
    take(option);
  };
  const press = (key) => {
    if (ARROWS.has(key)) list.step(ARROWS.get(key));
    else if (list.chosen) pick(list.chosen);
  };
  // Enter in a field that submits is for the list only after a choice.
  const isForList = (key) =>
    ARROWS.has(key) || (key === "Enter" && (waiting.length || list.chosen || (!submits && (written || list.isOpen))));
  input.addEventListener("input", () => {
    written = true;
    waiting = [];
    clearTimeout(timer);
    timer = setTimeout(ask, delay);
  });
  input.addEventListener("focus", ask);
  input.addEventListener("blur", forget);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && list.isOpen) {
      event.stopPropagation();
      forget();
    } else if (isForList(event.key)) {
      event.preventDefault();
      if (written) {
        if (waiting.push(event.key) === 1) ask();
      } else if (list.isOpen) press(event.key);
      else ask();
    }
  });
  // Before the field loses focus, while the list still exists.
  list.element.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const option = list.at(event.target);
    if (option) pick(option);
  });
}

class OptionList {
  #input;
  #options = [];
  #place = -1;

  constructor(input) {
    this.#input = input;
    this.element = document.createElement("ul");
    this.element.className = "options";
    this.element.id = `options-${(count += 1)}`;
    this.element.setAttribute("role", "listbox");
    this.element.setAttribute("aria-label", input.labels?.[0]?.textContent ?? "Found");
    this.element.hidden = true;
    input.after(this.element);
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    input.setAttribute("aria-controls", this.element.id);
  }

  get isOpen() {
    return !this.element.hidden;
  }

  get chosen() {
    return this.#options[this.#place];
  }

  at(element) {
    return this.#options[[...this.element.children].indexOf(element.closest("[role=option]"))];
  }

  show(found) {
    const kept = found.findIndex((option) => option.id === this.chosen?.id);
    this.#options = found;
    const rows = found.map((option, at) => row(`${this.element.id}-${at}`, option.label, option.detail));
    this.element.replaceChildren(...(rows.length ? rows : [nothing()]));
    this.element.hidden = false;
    this.#input.setAttribute("aria-expanded", "true");
    this.#choose(kept);
  }

  step(by) {
    const most = Math.max(1, this.#options.length);
    this.#choose((this.#place + by + most) % most);
  }

  close() {
    this.element.hidden = true;
    this.#place = -1;
    this.#input.setAttribute("aria-expanded", "false");
    this.#input.removeAttribute("aria-activedescendant");
  }

  #choose(place) {
    this.#place = place;
    [...this.element.children].forEach((each, at) => each.setAttribute("aria-selected", String(at === place)));
    const element = this.chosen && this.element.children[place];
    if (!element) return;
    this.#input.setAttribute("aria-activedescendant", element.id);
    element.scrollIntoView({ block: "nearest" });
  }
}

function row(id, label, detail) {
  const element = document.createElement("li");
  element.id = id;
  element.setAttribute("role", "option");
  element.setAttribute("aria-selected", "false");
  element.append(label);
  if (detail) {
    const beside = document.createElement("span");
    beside.className = "quiet";
    beside.textContent = ` ${detail}`;
    element.append(beside);
  }
  return element;
}

function nothing() {
  const element = row("", "Nothing found");
  element.removeAttribute("id");
  element.className = "none";
  element.setAttribute("aria-disabled", "true");
  return element;
}
