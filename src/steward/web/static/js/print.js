// The button on pages for paper.
document.querySelector("[data-print]").addEventListener("click", () => window.print());
