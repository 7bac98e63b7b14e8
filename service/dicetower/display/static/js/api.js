/** Calls to the service. A refusal is thrown as a Refusal that holds the sentence to show. */

export class Refusal extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

async function ask(path, options) {
  try {
    const answer = await fetch(`/api/v1${path}`, { cache: "no-store", ...options });
    if (answer.ok) return await answer.json();
    const { detail } = await answer.json().catch(() => ({}));
    throw new Refusal(answer.status, detail ?? `The server answered ${answer.status}. Look at the table, then try again.`);
  } catch (fault) {
    if (fault instanceof Refusal) throw fault;
    throw new Refusal(0, "The server does not answer. Start it, or wait until it is back, and look whether it took this.");
  }
}

export function get(path) {
  return ask(path);
}

export function send(path, body, { method = "POST", signal } = {}) {
  return ask(path, { method, signal, headers: { "content-type": "application/json" }, body: JSON.stringify(body ?? {}) });
}

export function upload(path, form) {
  return ask(path, { method: "POST", body: form });
}

/** A name for one request: sent twice, it counts once. (`randomUUID` is not there over plain HTTP on a network.) */
export function requestId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
