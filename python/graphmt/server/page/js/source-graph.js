// The graph of a source sentence: dependencies as arcs above the words, other links as lines between neighbours.

import { s } from "./dom.js";
import { levels, textWidth } from "./geometry.js";

const FIRST = 18;
const PITCH = 19;
const LABEL_FONT = "11px system-ui, sans-serif";

/** The arcs of a tree: `head`, `dependent`, `label` and `level`. */
export function arcsOf({ heads, deprels }) {
    const arcs = [];
    for (const [dependent, head] of heads.entries()) {
        if (head >= 0) arcs.push({ head, dependent, label: deprels[dependent] ?? "" });
    }
    const found = levels(
        arcs.map(({ head, dependent }) => [Math.min(head, dependent), Math.max(head, dependent)]),
        false,
    );
    for (const [k, arc] of arcs.entries()) arc.level = found[k];
    return arcs;
}

/** The height that arcs need. */
export function arcsHeight(arcs) {
    return arcs.length ? FIRST + PITCH * Math.max(...arcs.map((arc) => arc.level)) + 14 : 0;
}

/** The least width of words, so that labels fit above them. */
export function leastWidth(arcs) {
    const widest = Math.max(0, ...arcs.filter((arc) => arc.level === 0).map((arc) => textWidth(arc.label, LABEL_FONT)));
    return Math.min(64, widest + 6);
}

/** Arcs whose words' upper edges are at `y`. Each has the classes and data by which it is lit up. */
export function drawArcs(arcs, boxes, y) {
    // Long arcs first, so that the labels of short ones are on top.
    return [...arcs]
        .sort((a, b) => b.level - a.level)
        .map(({ head, dependent, label, level }) => {
            const leftwards = boxes[dependent].middle < boxes[head].middle;
            const from = boxes[head].middle + (leftwards ? -6 : 6);
            const to = boxes[dependent].middle;
            const top = y - FIRST - PITCH * level;
            const bend = leftwards ? -6 : 6;
            const rise = `M${from},${y} V${top + 6} Q${from},${top} ${from + bend},${top}`;
            const path = `${rise} H${to - bend} Q${to},${top} ${to},${top + 6} V${y - 3}`;
            return s(
                "g",
                { class: "arc", "data-link": `${head}-${dependent}` },
                s("path", { d: path, class: "arc-line" }),
                s("path", { d: `M${to - 3.5},${y - 6} L${to + 3.5},${y - 6} L${to},${y} Z`, class: "arc-head" }),
                label && s("text", { x: (from + to) / 2, y: top + 3.5, class: "arc-label" }, label),
            );
        });
}

/** A dot above the root of the tree. */
export function drawRoots(heads, boxes, y) {
    return heads.flatMap((head, k) =>
        head === -1 ? [s("circle", { cx: boxes[k].middle, cy: y - 4, r: 3, class: "root-dot" })] : [],
    );
}

/** Lines between neighbours that the system links and the tree does not. */
export function drawBigrams(links, heads, boxes, y) {
    return links
        .filter(([a, b]) => Math.abs(a - b) === 1 && heads[a] !== b && heads[b] !== a)
        .map(([a, b]) => {
            const [left, right] = boxes[a].x < boxes[b].x ? [boxes[a], boxes[b]] : [boxes[b], boxes[a]];
            const attributes = {
                x1: left.x + left.width,
                x2: right.x,
                y1: y,
                y2: y,
                class: "bigram",
                "data-link": `${a}-${b}`,
            };
            return s("line", attributes);
        });
}
