// Counts the people found at the assembly point. The count is not saved.
const boxes = [...document.querySelectorAll("[data-found]")];
const present = document.getElementById("present");

function count() {
  present.textContent = boxes.filter((box) => box.checked).length;
}

for (const box of boxes) box.addEventListener("change", count);
if (present) count();
