/**
 * The camera while dice are shown to it: it is the page's alone as long as the page says so, and each new rest of the
 * tray is told once. A page that is hidden or gone gives the camera back.
 */

import { send } from "../api.js";

const AGAIN_MS = 3000; // the service waits ten seconds for the next word

export class Holding {
  /** `settled(look)`: the tray came to rest anew with a die in it; false: not now. `lost(fault)`: the camera is another's, or the server is gone. */
  constructor({ settled, lost }) {
    Object.assign(this, { settled, lost });
    this.holder = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    this.on = false;
    this.look = null;
    this.timer = null;
    document.addEventListener("visibilitychange", () => document.hidden && this.end());
    addEventListener("pagehide", () => this.end());
  }

  /** Have the camera; what lies in the tray already is not shown yet. */
  async begin(state) {
    await this.say(true);
    this.on = true;
    this.look = state.look;
    this.timer = setInterval(() => this.say(true).catch((fault) => { this.end(); this.lost(fault); }), AGAIN_MS);
  }

  end() {
    if (!this.on) return;
    this.on = false;
    clearInterval(this.timer);
    this.say(false).catch(() => {}); // it ends by itself
  }

  say(on) {
    return send("/die-sets/hold", { holder: this.holder, on });
  }

  hear(state) {
    if (!this.on || state.look === null || state.look === this.look || !["watching", "settled"].includes(state.state)) return;
    if (state.dice.length === 0 || this.settled(state.look)) this.look = state.look;
  }
}
