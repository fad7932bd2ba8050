// A click of a disc on wood, for those who want it. Made on the spot: there is no file to fetch.

import { BLACK } from "./rules.js";
import { settings } from "./settings.js";

/** @type {AudioContext | null} */
let audio = null;

/** @param {number} by whose disc it is: Black's sound is lower */
export function click(by) {
  if (!settings.get().sounds) return;
  audio ??= new AudioContext();
  const now = audio.currentTime;
  const tone = audio.createOscillator();
  const loudness = audio.createGain();
  tone.type = "triangle";
  tone.frequency.setValueAtTime(by === BLACK ? 320 : 430, now);
  tone.frequency.exponentialRampToValueAtTime(by === BLACK ? 130 : 180, now + 0.07);
  loudness.gain.setValueAtTime(0.25, now);
  loudness.gain.exponentialRampToValueAtTime(0.001, now + 0.09);
  tone.connect(loudness).connect(audio.destination);
  tone.start(now);
  tone.stop(now + 0.1);
}
