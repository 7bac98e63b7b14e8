/** A page's view of its table: from the shared worker, or from a stream of its own where there is none. */

import { Stream } from "./stream.js";

const WORKER_ANSWERS_MS = 4000;

export class Live {
  /** `hear(news)` as Stream tells it. */
  constructor(table, hear) {
    this.table = table;
    this.hear = hear;
    this.news = { status: "waiting", state: null, heardAt: null, reason: "", fresh: true };
    this.join();
    window.addEventListener("pagehide", () => this.leave());
    window.addEventListener("pageshow", (event) => event.persisted && this.join());
  }

  join() {
    try {
      this.share();
    } catch {
      this.own();
    }
  }

  share() {
    const worker = new SharedWorker(new URL("live-worker.js", import.meta.url), { type: "module", name: "dicetower live" });
    const fallback = setTimeout(() => this.own(), WORKER_ANSWERS_MS);
    worker.onerror = () => this.own();
    worker.port.onmessage = ({ data }) => {
      clearTimeout(fallback);
      if (this.worker === worker) this.take(data);
    };
    this.worker = worker;
    worker.port.postMessage({ follow: this.table });
  }

  /** A stream of the page's own; given back while nobody can see the page. */
  own() {
    if (this.stream) return;
    this.worker = null;
    const open = () => (this.stream = document.hidden ? null : new Stream(this.table, (news) => this.take(news)));
    open();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.stream?.stop();
      open();
    });
  }

  leave() {
    this.worker?.port.postMessage({ leave: true });
    this.worker = null;
    this.stream?.stop();
    this.stream = null;
  }

  /** The state that a call answered is as good as one from the stream, and often first. */
  accept(state) {
    if (!state || (this.news.state && state.seq < this.news.state.seq)) return;
    this.take({ ...this.news, status: this.news.status === "missing" ? "live" : this.news.status, state, heardAt: Date.now(), fresh: false });
  }

  take(news) {
    const older = !news.fresh && this.news.state && news.state && news.state.seq < this.news.state.seq;
    this.news = older ? { ...news, state: this.news.state } : news;
    this.hear(this.news);
  }
}
