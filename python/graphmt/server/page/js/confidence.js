// The confidence of a sentence as a meter.

import { h, s } from "./dom.js";
import { percent } from "./numbers.js";

const WIDTH = 64;

export function grade(value) {
  if (value >= 0.6) return "high";
  return value >= 0.3 ? "medium" : "low";
}

/** A meter with its figure; it says what it is made of when pointed at. */
export function confidenceMeter({ value, posterior, unknown }) {
  const about = `Confidence ${percent(value)}: share among the 50 best translations ${percent(posterior)}, unknown words ${percent(unknown)}`;
  return h(
    "span",
    { class: `confidence ${grade(value)}`, title: about },
    s(
      "svg",
      { width: WIDTH, height: 8, role: "img", "aria-label": about },
      s("rect", { width: WIDTH, height: 8, rx: 4, class: "meter-all" }),
      s("rect", { width: Math.max(4, WIDTH * value), height: 8, rx: 4, class: "meter-part" }),
    ),
    h("span", { "aria-hidden": "true" }, percent(value)),
  );
}
