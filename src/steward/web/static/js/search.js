// Search as you type. Enter opens the page with all results.
import { combobox } from "./combobox.js";

export function enhanceSearch() {
  const input = document.querySelector("[data-search]");
  if (!input) return;
  combobox(input, {
    find: async (text) => {
      if (text.length < 2 && !/^#?\d/.test(text)) return [];
      const answer = await fetch(`/app/search.json?${new URLSearchParams({ q: text })}`);
      return answer.ok ? answer.json() : [];
    },
    submits: true,
    take: (option) => window.location.assign(option.id),
  });
}
