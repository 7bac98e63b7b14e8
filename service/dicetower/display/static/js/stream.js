/**
 * One table's state, kept true from the server's events (docs/api.md); runs in a page or in a shared worker.
 *
 * "live" is said only of a state known to be present. At a break the last state is kept with the time at which it was
 * still true; the browser comes back by itself with the last id, and a leap in the numbers fetches the state afresh.
 */

const SILENCE_MS = 12000; // two beats missed
const LOOK_MS = 1000;
const REOPEN_MS = 1000;
const ANSWER_MS = 4000;

export class Stream {
  /** `tell(news)`: {status: "waiting" | "live" | "cut" | "missing", state, heardAt, reason, fresh}. */
  constructor(table, tell) {
    this.path = `/api/v1/tables/${encodeURIComponent(table)}`;
    this.tell = tell;
    this.news = { status: "waiting", state: null, heardAt: null, reason: "", fresh: true };
    this.watch = setInterval(() => this.look(), LOOK_MS);
    this.open();
  }

  stop() {
    this.stopped = true;
    clearInterval(this.watch);
    clearTimeout(this.reopening);
    this.source?.close();
  }

  /** A new connection: it begins with a snapshot. */
  open() {
    if (this.stopped) return;
    this.source?.close();
    const source = new EventSource(`${this.path}/events`);
    this.source = source;
    this.lineAt = Date.now();
    const on = (type, act) => source.addEventListener(type, (event) => {
      this.lineAt = Date.now();
      act(JSON.parse(event.data));
    });
    on("snapshot", (state) => this.take(state));
    on("delta", (delta) => this.merge(delta));
    on("resumed", (place) => this.resume(place));
    on("sources", ({ sources }) => this.news.state && this.change({ sources }));
    on("beat", ({ seq }) => this.beat(seq));
    source.onerror = () => this.source === source && this.broke();
  }

  take(state) {
    this.say({ status: "live", state, heardAt: Date.now(), reason: "", fresh: true });
  }

  merge({ seq, changed }) {
    const { state } = this.news;
    if (!state || seq > state.seq + 1) this.refresh();
    else if (seq === state.seq + 1) this.change({ ...changed, seq });
  }

  change(changed) {
    const state = { ...this.news.state, ...changed };
    const present = !this.behind || state.seq >= this.behind;
    if (present) this.behind = null;
    this.say({ ...this.news, status: present ? "live" : this.news.status, state, heardAt: present ? Date.now() : this.news.heardAt, fresh: false });
  }

  /** The line is back where it broke; what was missed follows at once. */
  resume({ seq, journal }) {
    const { state } = this.news;
    if (!state || state.journal !== journal || seq < state.seq) {
      this.open();
      return;
    }
    this.behind = seq;
    this.change({});
  }

  beat(seq) {
    if (!this.news.state || seq > this.news.state.seq) this.refresh();
    else if (this.news.status === "live") this.news.heardAt = Date.now();
  }

  /** Fetch the state afresh: something was missed. */
  async refresh() {
    const source = this.source;
    try {
      const answer = await fetch(this.path, { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
      const state = answer.ok ? await answer.json() : null;
      if (this.source !== source || this.stopped) return;
      if (!state) this.broke();
      else if (!this.news.state || state.journal !== this.news.state.journal || state.seq >= this.news.state.seq) this.take(state);
    } catch {
      if (this.source === source) this.broke();
    }
  }

  /** The line is gone. The browser is trying again, unless it gave up: then ask why, and open a new one. */
  broke() {
    if (this.stopped) return;
    if (this.news.status === "live") this.say({ ...this.news, status: "cut", fresh: false });
    if (this.news.state && this.source?.readyState === EventSource.CONNECTING) return;
    this.source?.close();
    this.source = null;
    clearTimeout(this.reopening);
    this.reopening = setTimeout(() => this.reopen(), REOPEN_MS);
  }

  /** A page cannot see why an event stream was refused, but it can read an answer. */
  async reopen() {
    try {
      const answer = await fetch(this.path, { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
      if (answer.status === 404 || answer.status === 422) { // 422: no table can have that name
        const { detail = "" } = await answer.json().catch(() => ({}));
        this.say({ status: "missing", state: null, heardAt: null, reason: detail, fresh: true });
      }
      if (answer.ok) {
        this.open();
        return;
      }
    } catch {
      // not there yet
    }
    this.reopening = setTimeout(() => this.reopen(), REOPEN_MS);
  }

  /** A dead line can be silent; a machine that slept wakes with one. */
  look() {
    if (this.source && Date.now() - this.lineAt > SILENCE_MS) {
      this.source.close();
      this.lineAt = Date.now();
      this.broke();
    }
  }

  say(news) {
    if (this.stopped) return;
    this.news = news;
    this.tell(news);
  }
}
