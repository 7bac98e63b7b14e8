/**
 * One table's state, kept true from the server's events; runs in a page or in a shared worker.
 *
 * A break, a silence or a leap in the numbers all end the same way: a fresh connection or a fresh state, so that
 * what is called live is present. Between, the last state is kept with the time at which it was still true.
 */

const PROBE_MS = 5000; // a dead link that says nothing is noticed within two probes
const PROBE_LIMIT_MS = 4000;
const REOPEN_MS = 1000;

export class Stream {
  /** `tell(news)`: {status: "waiting" | "live" | "cut" | "missing", state, heardAt, reason, fresh}. */
  constructor(table, tell) {
    this.path = `/api/v1/tables/${encodeURIComponent(table)}`;
    this.tell = tell;
    this.news = { status: "waiting", state: null, heardAt: null, reason: "", fresh: true };
    this.ticked = Date.now();
    this.probe = setInterval(() => this.check(), PROBE_MS);
    this.open();
  }

  stop() {
    this.stopped = true;
    clearInterval(this.probe);
    clearTimeout(this.reopening);
    this.source?.close();
  }

  open() {
    if (this.stopped) return;
    this.source?.close();
    const source = new EventSource(`${this.path}/events`);
    this.source = source;
    source.addEventListener("snapshot", (event) => this.take(JSON.parse(event.data)));
    source.addEventListener("delta", (event) => this.merge(JSON.parse(event.data)));
    source.addEventListener("sources", (event) => this.sources(JSON.parse(event.data).sources));
    source.onerror = () => {
      if (this.source === source) this.broke();
    };
  }

  take(state) {
    this.say({ status: "live", state, heardAt: Date.now(), reason: "", fresh: true });
  }

  merge({ seq, changed }) {
    const { state } = this.news;
    if (!state || this.news.status !== "live" || seq > state.seq + 1) return this.refresh();
    if (seq <= state.seq) return undefined;
    return this.say({ ...this.news, state: { ...state, ...changed, seq }, heardAt: Date.now(), fresh: false });
  }

  sources(sources) {
    if (this.news.state) this.say({ ...this.news, state: { ...this.news.state, sources }, fresh: false });
  }

  async refresh() {
    const source = this.source;
    try {
      const answer = await fetch(this.path, { cache: "no-store", signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
      if (this.source !== source || this.stopped) return;
      if (answer.ok) this.take(await answer.json());
      else this.broke();
    } catch {
      if (this.source === source) this.broke();
    }
  }

  /** The connection is gone: say since when what is shown may be old, and try again. */
  broke() {
    this.source?.close();
    this.source = null;
    if (this.stopped) return;
    if (this.news.status !== "missing") this.say({ ...this.news, status: this.news.state ? "cut" : "waiting", fresh: false });
    clearTimeout(this.reopening);
    this.reopening = setTimeout(() => this.reopen(), REOPEN_MS);
  }

  /** Ask before connecting: a page cannot see why an event stream was refused, but it can read an answer. */
  async reopen() {
    try {
      const answer = await fetch(this.path, { cache: "no-store", signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
      if (answer.status === 404) {
        const { detail = "" } = await answer.json().catch(() => ({}));
        this.say({ status: "missing", state: null, heardAt: null, reason: detail, fresh: true });
      }
      if (answer.ok) return this.open();
    } catch {
      // not there yet
    }
    this.reopening = setTimeout(() => this.reopen(), REOPEN_MS);
    return undefined;
  }

  async check() {
    const slept = Date.now() - this.ticked > 3 * PROBE_MS;
    this.ticked = Date.now();
    const source = this.source;
    if (!source || this.stopped) return;
    if (slept) {
      this.broke();
      return;
    }
    try {
      await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
      if (this.news.status === "live") this.news.heardAt = Date.now();
    } catch {
      if (this.source === source) this.broke();
    }
  }

  say(news) {
    this.news = news;
    this.tell(news);
  }
}
