// Asks for the title of a booking and sends it. If refused, shows the reason and free alternatives.

export function bookDialog(dialog, language) {
  const form = dialog.querySelector("form[data-book]");
  const problem = dialog.querySelector("[data-problem]");
  const offered = dialog.querySelector("[data-offer]");

  const setTime = (start, end) => {
    form.elements.startTime.value = Math.floor(start.getTime() / 1000);
    form.elements.endTime.value = Math.floor(end.getTime() / 1000);
    dialog.querySelector("[data-span]").textContent = span(start, end, language);
  };
  const say = (text, offer) => {
    problem.textContent = text;
    problem.hidden = !text;
    offered.hidden = !offer;
    if (!offer) return;
    const [start, end] = [new Date(offer.startTime * 1000), new Date(offer.endTime * 1000)];
    offered.textContent = `Take ${span(start, end, language)}`;
    offered.onclick = () => {
      setTime(start, end);
      form.requestSubmit();
    };
  };

  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const refusal = await send(form);
    if (refusal) {
      say(refusal.message, refusal.offer);
      return;
    }
    dialog.close();
    dialog.dispatchEvent(new CustomEvent("booked"));
  });
  dialog.openAt = ({ resource, start, end }) => {
    say("", null);
    form.elements.title.value = "";
    form.elements.resourceId.value = resource.id;
    dialog.querySelector("[data-resource]").textContent = resource.title;
    setTime(start, end);
    dialog.showModal();
  };
  return dialog;
}

/** Null if the booking succeeded. */
async function send(form) {
  const failed = { message: "This could not be stored. Load the page again.", offer: null };
  try {
    const answer = await fetch("/app/bookings/events.json", { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (!(answer.headers.get("content-type") || "").startsWith("application/json")) return failed;
    return answer.ok ? null : await answer.json();
  } catch {
    return failed;
  }
}

export function span(start, end, language) {
  const day = { weekday: "short", day: "numeric", month: "short" };
  const clock = { hour: "2-digit", minute: "2-digit", hour12: false };
  const same = start.toDateString() === end.toDateString();
  const last = end.toLocaleString(language, same ? clock : { ...day, ...clock });
  return `${start.toLocaleString(language, { ...day, ...clock })} – ${last}`;
}
