// Sends the request of a form and shows the response.

import { element } from "./elements.js";

const LONGEST = 200_000;

export function request({ method, path, parameters, values, needsKey, bodyType }) {
  const headers = {};
  const query = new URLSearchParams();
  let address = path;
  for (const { in: place, name } of parameters) {
    const value = (values[`${place}:${name}`] ?? "").trim();
    if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (value && place === "query") query.append(name, value);
    else if (value) headers[name] = value;
  }
  if (needsKey) headers["X-API-Key"] = values.key.trim();
  if (values.body !== undefined) headers["Content-Type"] = bodyType;
  const asked = query.size ? `${address}?${query}` : address;
  return [asked, { method, headers, body: values.body }];
}

export async function send(form) {
  const [address, options] = request(form);
  const begun = performance.now();
  try {
    // The reader's key alone decides what is allowed: no session of the web app goes along, and nothing leaves this origin.
    const answer = await fetch(address, { ...options, mode: "same-origin", credentials: "omit", redirect: "error", cache: "no-store" });
    const text = await answer.text();
    return { answer, text, address, method: options.method, milliseconds: Math.round(performance.now() - begun) };
  } catch (error) {
    return { error };
  }
}

export function showAnswer(place, { error, answer, text, address, method, milliseconds }) {
  if (error) {
    place.replaceChildren(element("p", { className: "notice is-bad" }, `The request could not be sent: ${error.message}`));
    return;
  }
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  place.replaceChildren(
    element(
      "p",
      { className: "try-status" },
      element("span", { className: answer.ok ? "code-ok" : "code-bad" }, String(answer.status)),
      ` ${answer.statusText} in ${milliseconds} ms`,
    ),
    element("p", { className: "endpoint" }, element("code", {}, `${method} ${address}`)),
    element("details", { className: "more" }, element("summary", {}, "Headers"), block(headers)),
    ...(text ? [block(shown(text, answer.headers.get("content-type") ?? ""))] : []),
  );
}

function block(text) {
  return element("pre", { tabIndex: 0 }, element("code", {}, text));
}

function shown(text, type) {
  const whole = type.startsWith("application/json") ? pretty(text) : text;
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST)}\n… ${whole.length - LONGEST} more characters` : whole;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
