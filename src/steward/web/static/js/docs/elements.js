// Builds elements; strings are always text, never markup.

export function element(name, settings = {}, ...children) {
  const made = Object.assign(document.createElement(name), settings);
  made.append(...children);
  return made;
}

export function field(input, label, hint) {
  const described = element("label", { htmlFor: input.id }, label);
  const parts = [described, input];
  if (hint) {
    const id = `${input.id}-hint`;
    input.setAttribute("aria-describedby", id);
    parts.push(element("p", { className: "hint", id }, hint));
  }
  return element("div", { className: "field" }, ...parts);
}
