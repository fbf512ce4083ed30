// On a phone, a button opens the menu.
export function enhanceMenu() {
  const button = document.querySelector(".menu-switch");
  const menu = document.getElementById("menu");
  if (!button || !menu) return;
  const show = (open) => {
    menu.classList.toggle("is-open", open);
    button.setAttribute("aria-expanded", String(open));
  };
  button.addEventListener("click", () => show(!menu.classList.contains("is-open")));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu.classList.contains("is-open")) {
      show(false);
      button.focus();
    }
  });
}
