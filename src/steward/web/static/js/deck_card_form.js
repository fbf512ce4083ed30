// Once an asset is chosen, the form offers the keys of its readings.
const keys = document.getElementById("keys");

document.addEventListener("picked", async (event) => {
  if (!keys || event.target.dataset.picker !== "asset") return;
  const answer = await fetch(`/app/decks/keys.json?${new URLSearchParams({ asset: event.detail.value })}`);
  const found = answer.ok ? await answer.json() : [];
  keys.replaceChildren(...found.map(({ key, name }) => {
    const option = document.createElement("option");
    option.value = key;
    option.textContent = name;
    return option;
  }));
  const input = document.getElementById("key");
  if (found.length === 1 || (found.length && !found.some(({ key }) => key === input.value))) input.value = found[0].key;
});
