/**
 * The camera as a page sees it: its state and its newest picture, asked for again and again while the page is looked at.
 * There is never a stream: a page that is hidden asks for nothing, and six open pages block nobody.
 */

import { get } from "../api.js";

const AGAIN_MS = 180; // five pictures a second: a die's fall is seen, and a telephone on the hall's wireless keeps up
const AFTER_FAULT_MS = 1500;

export class Feed {
  /** `heard(state, fault)` after every answer; `picture(url)` where a new picture came. `whole`: all the camera sees. */
  constructor({ whole = false, heard, picture }) {
    Object.assign(this, { whole, heard, picture });
    this.frame = -1;
    this.key = "";
    this.url = null;
    this.timer = null;
    this.running = false;
    document.addEventListener("visibilitychange", () => this.wake());
    this.wake();
  }

  wake() {
    clearTimeout(this.timer);
    if (!document.hidden && !this.running) this.ask();
  }

  async ask() {
    this.running = true;
    let wait = AGAIN_MS;
    try {
      const state = await get("/camera");
      await this.fetchPicture(state);
      this.heard(state, null);
    } catch (fault) {
      wait = AFTER_FAULT_MS;
      this.heard(null, fault);
    }
    this.running = false;
    if (!document.hidden) this.timer = setTimeout(() => this.ask(), wait);
  }

  async fetchPicture(state) {
    const key = `${state.frame} ${state.setup.corners} ${state.setup.turn}`;
    if (!["watching", "motion", "settled"].includes(state.state) || key === this.key) return;
    const width = Math.min(1280, Math.max(320, Math.round(innerWidth * devicePixelRatio)));
    const answer = await fetch(`/api/v1/camera/picture?whole=${this.whole}&width=${width}`, { cache: "no-store" });
    if (!answer.ok) return; // it stalled between two questions; the state says so next
    const url = URL.createObjectURL(await answer.blob());
    const shown = new Image(); // decoded before it is put in the page, so that nothing flickers
    shown.src = url;
    await shown.decode().catch(() => {});
    this.picture(url);
    if (this.url) URL.revokeObjectURL(this.url);
    this.url = url;
    this.key = key;
  }
}
