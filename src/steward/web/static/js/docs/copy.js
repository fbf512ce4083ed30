// A button on each block of code that puts it onto the clipboard.

export function addCopyButtons(root) {
  // Browsers give a page the clipboard on https and localhost only.
  if (!navigator.clipboard) return;
  for (const block of root.querySelectorAll(".code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => copy(button, block.querySelector("code").textContent));
    block.append(button);
  }
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}
