// The whole drawing of a translation: source graph, segmentation and reordering, target. It reports what is pointed at
// and what is chosen; other modules decide what follows.

import { newId, s } from "./dom.js";
import { barLevels, colourClass, drawAlignment, drawBars, drawRibbons, MIDDLE } from "./derivation.js";
import { row, shift, WORD_HEIGHT } from "./geometry.js";
import { lighter } from "./highlight.js";
import { connectKeys } from "./diagram-keys.js";
import { arcsHeight, arcsOf, drawArcs, drawBigrams, drawRoots, leastWidth } from "./source-graph.js";
import { markOf, ownersOf, readSteps, spanOf } from "./steps.js";
import { isRightToLeft } from "./text.js";

const MARGIN = 10;
const TAG = 15;

/**
 * Draw an explained sentence. `point({step, source})` is called with null fields when nothing is pointed at any more;
 * `choose({first, end, step, extend, anchor})` when words or a bar are clicked. Returns the `element`, the `steps`,
 * `owners` (the step of each word), `light(step)`, `lightSource(positions)`, `select(first, end)`,
 * `focusSource(place)`, and `chooseTarget(place)`, which does what a click on a target word does.
 */
export function drawDiagram({ source, links, translation }, { font, point, choose }) {
    const { derivation } = translation;
    const steps = readSteps(derivation);
    const owners = {
        source: ownersOf(steps, "positions", source.tokens.length),
        target: ownersOf(steps, "places", derivation.target.length),
    };
    const arcs = arcsOf(source);
    const from = row(source.tokens, font, { least: leastWidth(arcs), rightToLeft: isRightToLeft(source.tokens) });
    const to = row(derivation.target, font, { rightToLeft: isRightToLeft(derivation.target) });
    const width = Math.max(from.width, to.width) + 2 * MARGIN;
    shift(from, (width - from.width) / 2);
    shift(to, (width - to.width) / 2);

    const bars = { source: barLevels(steps, "source"), target: barLevels(steps, "targets") };
    const y = { source: MARGIN + arcsHeight(arcs) };
    const hasTags = source.upos.length === source.tokens.length;
    y.bars = y.source + WORD_HEIGHT + (hasTags ? TAG : 0) + 4;
    y.middle = y.bars + bars.source.height;
    y.targetBars = y.middle + MIDDLE;
    y.target = y.targetBars + bars.target.height + 4;
    const height = y.target + WORD_HEIGHT + MARGIN;

    const top = { source: (level) => y.bars + level * bars.source.pitch };
    top.target = (level) => y.target - 4 - (level + 1) * bars.target.pitch + (bars.target.pitch - bars.target.bar);
    from.edge = (number) => top.source(bars.source.level.get(number)) + bars.source.bar;
    to.edge = (number) => top.target(bars.target.level.get(number));

    const word = (side, place, text) =>
        drawWord(side, place, text, {
            boxes: side === "source" ? from.boxes : to.boxes,
            y: y[side],
            owners,
            steps,
            source,
            derivation,
        });
    const words = {
        source: source.tokens.map((text, place) => word("source", place, text)),
        target: derivation.target.map((text, place) => word("target", place, text)),
    };
    const tags = hasTags
        ? source.upos.map((tag, k) =>
              s(
                  "text",
                  { x: from.boxes[k].middle, y: y.source + WORD_HEIGHT + 10, class: "tag" },
                  tag === "_" ? "" : tag,
              ),
          )
        : [];
    const title = newId("diagram");
    const element = s(
        "svg",
        { class: "diagram", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-labelledby": title },
        s("title", { id: title }, "Derivation: source graph, segmentation, reordering and translation"),
        s(
            "g",
            { class: "arcs", "aria-hidden": "true" },
            drawArcs(arcs, from.boxes, y.source),
            drawRoots(source.heads, from.boxes, y.source),
            drawBigrams(links, source.heads, from.boxes, y.source + WORD_HEIGHT / 2),
        ),
        s("g", { "aria-hidden": "true" }, drawRibbons([...steps], from, to), drawAlignment(steps, from, to)),
        s(
            "g",
            { "aria-hidden": "true" },
            drawBars(steps, "source", from.boxes, bars.source, top.source),
            drawBars(steps, "target", to.boxes, bars.target, top.target),
        ),
        s("g", { role: "group", "aria-label": "Source words" }, words.source, tags),
        s("g", { role: "group", "aria-label": "Words of the translation" }, words.target),
    );
    // The style sheet enlarges short sentences and lets long ones scroll.
    element.style.setProperty("--natural", `${Math.ceil(width)}px`);
    const made = {
        element,
        steps,
        owners,
        ...lighter(element, steps),
        chooseTarget: (place) => chosen(words.target[place], false),
    };
    element.addEventListener("pointerover", (event) => pointed(event.target));
    element.addEventListener("focusin", (event) => pointed(event.target));
    element.addEventListener("pointerleave", () => {
        if (!element.contains(document.activeElement)) point({ step: null, source: [] });
        else pointed(document.activeElement);
    });
    element.addEventListener("focusout", () => point({ step: null, source: [] }));
    element.addEventListener("click", (event) => chosen(event.target, event.shiftKey));

    function pointed(target) {
        const hit = target.closest("[data-step]");
        const number = hit?.dataset.step === undefined ? null : Number(hit.dataset.step);
        const place = hit?.dataset.side === "source" ? [Number(hit.dataset.place)] : (steps[number]?.positions ?? []);
        point({ step: number, source: place });
    }
    function chosen(target, extend) {
        const hit = target.closest("[data-step]");
        if (!hit) return;
        if (hit.dataset.side === "source") {
            const place = Number(hit.dataset.place);
            choose({ first: place, end: place + 1, step: Number(hit.dataset.step), extend, anchor: hit });
        } else if (hit.dataset.step !== "") {
            const step = steps[Number(hit.dataset.step)];
            if (step.source.length)
                choose({ first: spanOf(step)[0], end: spanOf(step)[1], step: step.number, extend: false, anchor: hit });
        }
    }
    // Shift extends the span, not a selection of text.
    element.addEventListener("mousedown", (event) => event.shiftKey && event.preventDefault());
    const focus = connectKeys(element, words, from, to, chosen);
    made.focusSource = (place) => focus(words.source[place] ?? words.source[0], { preventScroll: true });
    return made;
}

function drawWord(side, place, text, { boxes, y, owners, steps, source, derivation }) {
    const box = boxes[place];
    const owner = owners[side][place];
    const step = owner === null ? undefined : steps[owner];
    return s(
        "g",
        {
            class: ["word", side, colourClass(step), step && markOf(step)].filter(Boolean).join(" "),
            role: "button",
            tabindex: side === "source" && place === 0 ? 0 : -1,
            "aria-label": wordLabel(side, place, text, step, source, derivation),
            "aria-haspopup": "dialog",
            "data-side": side,
            "data-place": place,
            "data-step": owner ?? "",
        },
        s("rect", { x: box.x, y, width: box.width, height: WORD_HEIGHT, rx: 6, class: "word-box" }),
        s("text", { x: box.middle, y: y + WORD_HEIGHT / 2, class: "word-text" }, text),
    );
}

function wordLabel(side, place, text, step, source, derivation) {
    const parts = [text];
    if (side === "source") {
        if (source.upos[place] && source.upos[place] !== "_") parts.push(source.upos[place]);
        const head = source.heads[place];
        if (head === -1) parts.push("root");
        else if (head >= 0) parts.push(`${source.deprels[place] ?? "dependent"} of ${source.tokens[head]}`);
    } else if (step?.positions.length) {
        parts.push(`from ${step.positions.map((k) => derivation.source[k]).join(" ")}`);
    }
    if (step) parts.push(`rule ${step.rule}`);
    return parts.join(", ");
}
