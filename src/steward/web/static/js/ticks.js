// Keeps checked boxes when a part of the page is replaced, as live pages do.

export function keepTicks() {
  let changed = [];
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const boxes = [...detail.target.querySelectorAll("input[type=checkbox]")];
    changed = boxes.filter((box) => box.checked !== box.defaultChecked).map(({ name, value, checked }) => ({ name, value, checked }));
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const { name, value, checked } of changed) {
      const box = document.querySelector(`main input[type=checkbox][name="${CSS.escape(name)}"][value="${CSS.escape(value)}"]`);
      if (box) box.checked = checked;
    }
    changed = [];
  });
}
