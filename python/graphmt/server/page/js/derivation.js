// Segmentation and reordering: bars for the words of each rule in both sentences, ribbons between them, aligned words.

import { s } from "./dom.js";
import { hull, levels, runs } from "./geometry.js";
import { shadeClass } from "./steps.js";

const BAR = 6;
const MIDDLE = 92;

/** The levels of the bars of all steps on one side, and the height that they need. */
export function barLevels(steps, field) {
    const covering = steps.filter((step) => step[field].length);
    const found = levels(covering.map((step) => [step[field][0], step[field].at(-1)]));
    const most = Math.max(0, ...found);
    // Deep derivations get thin steps, so that the drawing stays on the screen.
    const pitch = Math.max(3, Math.min(BAR + 3, 150 / (most + 1)));
    const level = new Map(covering.map((step, k) => [step.number, found[k]]));
    return { level, pitch, bar: Math.min(BAR, pitch - 1), height: covering.length ? pitch * (most + 1) : 0 };
}

export { MIDDLE };

/** The bars of one side. `y(level)` is the upper edge of a bar. */
export function drawBars(steps, side, boxes, { level, bar }, y) {
    const [own, all] = side === "source" ? ["positions", "source"] : ["places", "targets"];
    return [...steps]
        .filter((step) => step[all].length)
        .map((step) => {
            const top = y(level.get(step.number));
            const [left, right] = hull(boxes, step[all]);
            const rect = (a, b, kind) =>
                s("rect", { x: a, y: top, width: b - a, height: bar, rx: bar / 2, class: kind });
            return s(
                "g",
                { class: `bar ${colourClass(step)}`, "data-step": step.number, "data-bar": side },
                rect(left, right, "bar-hull"),
                runs(step[own]).map((run) => rect(...hull(boxes, run), "bar-own")),
                // A taller one to point at.
                s("rect", { x: left, y: top - 2, width: right - left, height: bar + 4, class: "reach" }),
            );
        });
}

/** The ribbon of each step from its source words to its target words; the widest first. */
export function drawRibbons(steps, from, to) {
    return steps
        .filter((step) => step.positions.length && step.places.length)
        .sort((a, b) => b.source.length - a.source.length)
        .map((step) => {
            const [a, b] = hull(from.boxes, step.source);
            const [c, d] = hull(to.boxes, step.targets);
            const top = from.edge(step.number);
            const bottom = to.edge(step.number);
            const half = (top + bottom) / 2;
            const left = `M${a},${top} C${a},${half} ${c},${half} ${c},${bottom}`;
            const path = `${left} H${d} C${d},${half} ${b},${half} ${b},${top} Z`;
            return s("path", {
                d: path,
                class: `ribbon${step.children.length ? " outer" : ""} ${colourClass(step)}`,
                "data-step": step.number,
            });
        });
}

/** Lines between the aligned words of each step. */
export function drawAlignment(steps, from, to) {
    return steps.flatMap((step) =>
        step.alignment
            .filter(([source, target]) => from.boxes[source] && to.boxes[target])
            .map(([source, target]) => {
                const x1 = from.boxes[source].middle;
                const x2 = to.boxes[target].middle;
                const top = from.edge(step.number);
                const bottom = to.edge(step.number);
                const half = (top + bottom) / 2;
                const path = `M${x1},${top} C${x1},${half} ${x2},${half} ${x2},${bottom}`;
                return s("path", { d: path, class: `aligned ${colourClass(step)}`, "data-step": step.number });
            }),
    );
}

export function colourClass(step) {
    return shadeClass(step?.shade);
}
