// Two clocks, one of which runs.

import { BLACK, WHITE } from "./rules.js";

const TICK = 200;

export class Clock {
  /** @param {number} minutes for each side; 0 is no clock @param {() => void} ontick @param {(side: number) => void} onfall */
  constructor(minutes, ontick, onfall) {
    this.minutes = minutes;
    this.on = minutes > 0;
    /** @type {Record<number, number>} */
    this.left = { [BLACK]: minutes * 60, [WHITE]: minutes * 60 };
    this.ontick = ontick;
    this.onfall = onfall;
    this.side = 0;
    this.since = 0;
    this.ticking = 0;
  }

  /** From now on this side's time runs. @param {number} side */
  run(side) {
    this.stop();
    if (!this.on) return;
    this.side = side;
    this.since = performance.now();
    this.ticking = window.setInterval(() => this.#tick(), TICK);
  }

  stop() {
    if (this.ticking) this.#spend();
    clearInterval(this.ticking);
    this.ticking = 0;
  }

  #spend() {
    const now = performance.now();
    this.left[this.side] = Math.max(0, this.left[this.side] - (now - this.since) / 1000);
    this.since = now;
  }

  #tick() {
    this.#spend();
    this.ontick();
    if (this.left[this.side] > 0) return;
    this.stop();
    this.onfall(this.side);
  }

  /** For the players' names; none without a clock. */
  texts() {
    return this.on ? { [BLACK]: text(this.left[BLACK]), [WHITE]: text(this.left[WHITE]) } : undefined;
  }

  /** What a player may think now, of what is left. @param {number} side @param {number} most @param {number} empty squares */
  share(side, most, empty) {
    if (!this.on) return most;
    return Math.max(0.05, Math.min(most, this.left[side] / Math.max(4, empty / 2)));
  }
}

/** @param {number} seconds */
function text(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

