// The translation graph of lexical selection: candidates of each word, their evidence as bars, support as curves.

import { h, s } from "./dom.js";
import { textWidth } from "./geometry.js";
import { decimal, percent } from "./numbers.js";
import { shadeClass } from "./steps.js";

const ROW = 24;
const BAR = 110;
const LEAST = 0.02;

/** The section on lexical selection. */
export function selectionSection({ models, features, with: chosen, without, graphs }, font) {
    const same = chosen === without;
    return h(
        "div",
        { class: "extra", role: "group", "aria-label": "Lexical selection" },
        h("h3", {}, `Lexical selection (${models.join(", ")})`),
        h(
            "dl",
            { class: "pairs" },
            h("dt", {}, "With"),
            h("dd", { dir: "auto" }, chosen),
            h("dt", {}, "Without"),
            h("dd", { dir: "auto" }, same ? "the same" : without),
            Object.entries(features).flatMap(([name, { value, weight }]) => [
                h("dt", { class: "feature" }, name),
                h("dd", {}, `${decimal(value)} × weight ${decimal(weight)}`),
            ]),
        ),
        graphs.map((graph) => drawGraph(graph, font)),
        graphs.length > 0 &&
            h(
                "p",
                { class: "quiet" },
                "Bar: evidence after the walk over the graph. Tick: association in training. Curves: support.",
            ),
    );
}

function drawGraph({ words, edges }, font) {
    const rows = words.flatMap((word, w) =>
        word.candidates.map((one, c) => ({ ...one, w, c, word: c ? "" : word.text })),
    );
    const left = Math.max(40, ...words.map((word) => textWidth(word.text, font))) + 24;
    const bar = left + Math.max(40, ...rows.map((one) => textWidth(one.text, font))) + 20;
    const right = bar + BAR + 10;
    let y = 4;
    const middle = new Map();
    for (const [k, one] of rows.entries()) {
        if (k && one.c === 0) y += 8;
        one.y = y;
        middle.set(`${one.w}-${one.c}`, y + ROW / 2);
        y += ROW;
    }
    const drawn = edges.filter(
        ({ first, second, weight }) => weight >= LEAST && middle.has(first.join("-")) && middle.has(second.join("-")),
    );
    const strongest = Math.max(0.01, ...drawn.map((edge) => edge.weight));
    let reach = right;
    const curves = drawn.map(({ first, second, weight }) => {
        const [a, b] = [middle.get(first.join("-")), middle.get(second.join("-"))];
        const out = right + Math.min(120, 18 + Math.abs(a - b) / 2);
        reach = Math.max(reach, out);
        const path = s("path", {
            d: `M${right},${a} C${out},${a} ${out},${b} ${right},${b}`,
            class: "support",
            "data-ends": `${first.join("-")} ${second.join("-")}`,
        });
        path.style.setProperty("--strength", (0.25 + 0.75 * (weight / strongest)).toFixed(2));
        return path;
    });
    const element = s("svg", {
        class: "selection-graph",
        width: reach + 8,
        height: y + 4,
        role: "group",
        "aria-label": "Translation graph",
    });
    element.append(
        ...curves,
        ...rows.map((one) => candidate(one, { left, bar, right }, element, neighbours(one, drawn, words))),
    );
    return h("div", { class: "scroll" }, element);
}

function neighbours(one, edges, words) {
    const own = `${one.w}-${one.c}`;
    const found = edges.flatMap(({ first, second }) => {
        if (first.join("-") === own) return [second];
        return second.join("-") === own ? [first] : [];
    });
    return [...new Set(found.map(([w, c]) => words[w].candidates[c].text))];
}

function candidate(one, { left, bar, right }, element, supporters) {
    const key = `${one.w}-${one.c}`;
    const light = (on) => {
        element.classList.toggle("is-lit", on);
        for (const path of element.querySelectorAll(".support"))
            path.classList.toggle("lit", on && path.dataset.ends.split(" ").includes(key));
        group.classList.toggle("lit", on);
    };
    const figures = `evidence ${percent(one.probability)}, association ${percent(one.association)}`;
    const linked = supporters.length ? `, linked to ${supporters.join(", ")}` : "";
    const label = `${one.text}: ${figures}${linked}`;
    const group = s(
        "g",
        {
            class: `candidate ${shadeClass(one.w)}`,
            tabindex: 0,
            role: "img",
            "aria-label": label,
            on: {
                pointerenter: () => light(true),
                pointerleave: () => light(false),
                focus: () => light(true),
                blur: () => light(false),
            },
        },
        s("rect", { x: left - 6, y: one.y, width: right - left + 6, height: ROW, rx: 5, class: "word-box" }),
        one.word && s("text", { x: 4, y: one.y + ROW / 2, class: "graph-word" }, one.word),
        s("text", { x: left, y: one.y + ROW / 2, class: "graph-text" }, one.text),
        s("rect", {
            x: bar,
            y: one.y + 6,
            width: Math.max(1, BAR * one.probability),
            height: ROW - 12,
            rx: 2,
            class: "evidence",
        }),
        s("line", {
            x1: bar + BAR * one.association,
            x2: bar + BAR * one.association,
            y1: one.y + 3,
            y2: one.y + ROW - 3,
            class: "association",
        }),
    );
    return group;
}
