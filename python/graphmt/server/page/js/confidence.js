// The confidence of a sentence as a meter.

import { h, s } from "./dom.js";
import { percent } from "./numbers.js";

const WIDTH = 64;

/** The value below which the least confident quarter of some sentences lies; -1 for fewer than four. */
export function lowestQuarter(sentences) {
    const values = sentences.map((one) => one.confidence.value).sort((a, b) => a - b);
    return values.length < 4 ? -1 : values[Math.floor(values.length / 4)];
}

/** A meter with its figure and notes on the sentence; it says what it is made of when pointed at. */
export function confidenceMeter({ value, posterior, unknown }, notes = []) {
    const about = [
        `Confidence ${percent(value)}: share among the 50 best translations ${percent(posterior)}`,
        `unknown words ${percent(unknown)}`,
    ].join(", ");
    return h(
        "span",
        { class: "confidence", title: about },
        s(
            "svg",
            { width: WIDTH, height: 8, role: "img", "aria-label": about },
            s("rect", { width: WIDTH, height: 8, rx: 4, class: "meter-all" }),
            s("rect", { width: Math.max(4, WIDTH * value), height: 8, rx: 4, class: "meter-part" }),
        ),
        h("span", { "aria-hidden": "true" }, percent(value)),
        unknown > 0 && h("span", { class: "note" }, "has unknown words"),
        notes.map((note) => h("span", { class: "note" }, note)),
    );
}
