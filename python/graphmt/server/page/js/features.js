// Tables of features: those of one rule, and those of two translations beside each other.

import { h, s } from "./dom.js";
import { aboutFeature } from "./feature-names.js";
import { decimal, signed } from "./numbers.js";

const BAR = 56;

/** The features of a step with their weights; features that add nothing are left out. */
export function stepTable(scored, weights) {
    const rows = Object.entries(scored.features)
        .map(([feature, value]) => ({
            feature,
            value,
            weight: weights[feature] ?? 0,
            adds: value * (weights[feature] ?? 0),
        }))
        .filter((one) => Math.abs(one.adds) >= 0.005)
        .sort((a, b) => Math.abs(b.adds) - Math.abs(a.adds));
    const widest = Math.max(...rows.map((one) => Math.abs(one.adds)), 0.01);
    return table(
        "What each feature adds to the score",
        ["Feature", "Value", "Weight", "Adds"],
        rows.map((one) => [name(one.feature), decimal(one.value), decimal(one.weight), withBar(one.adds, widest)]),
        ["Together", "", "", withBar(scored.score, widest)],
    );
}

/** The features of two translations; positive differences speak for the first. */
export function differenceTable(differences, [own, other], caption) {
    const rows = differences.filter((one) => Math.abs(one.difference) >= 0.005);
    const widest = Math.max(...rows.map((one) => Math.abs(one.difference)), 0.01);
    const total = differences.reduce((sum, one) => sum + one.difference, 0);
    return table(
        caption,
        ["Feature", own, other, "Weight", "Difference"],
        rows.map((one) => [
            name(one.feature),
            decimal(one.value),
            decimal(one.other),
            decimal(one.weight),
            withBar(one.difference, widest),
        ]),
        ["Together", "", "", "", withBar(total, widest)],
    );
}

/** In one sentence: the features that decided for the first translation, and the one most against it. */
export function summary(differences) {
    const ranked = [...differences].sort((a, b) => b.difference - a.difference);
    const best = ranked[0];
    const worst = ranked.at(-1);
    const parts = [];
    if (best?.difference >= 0.005) parts.push(`most for it: ${best.feature} (${signed(best.difference)})`);
    if (worst?.difference <= -0.005) parts.push(`most against it: ${worst.feature} (${signed(worst.difference)})`);
    return parts.join("; ");
}

function table(caption, heads, rows, last) {
    // Narrow screens leave out the weights.
    const isWeight = (k) => heads[k] === "Weight";
    const cell = (content, k) => h("td", { class: isWeight(k + 1) ? "number weight" : "number" }, content);
    const head = (text, k) =>
        h("th", { scope: "col", class: k ? `number${isWeight(k) ? " weight" : ""}` : null }, text);
    return h(
        "div",
        { class: "table-wrap", tabindex: 0, role: "group", "aria-label": caption },
        h(
            "table",
            { class: "features" },
            h("caption", {}, caption),
            h("thead", {}, h("tr", {}, heads.map(head))),
            h(
                "tbody",
                {},
                rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), rest.map(cell))),
            ),
            h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, last[0]), last.slice(1).map(cell))),
        ),
    );
}

function name(feature) {
    const about = aboutFeature(feature);
    // Long names may break at their underscores.
    const parts = feature.split("_").flatMap((part, k) => (k ? ["_", h("wbr"), part] : [part]));
    return [h("span", { class: "feature" }, parts), about && h("span", { class: "about" }, about)];
}

/** A signed number with a bar that starts in the middle. */
function withBar(value, widest) {
    const length = Math.min(1, Math.abs(value) / widest) * (BAR / 2);
    return h(
        "span",
        { class: "signed" },
        h("span", {}, signed(value)),
        s(
            "svg",
            { class: "signed-bar", width: BAR, height: 12, "aria-hidden": "true" },
            s("line", { x1: BAR / 2, x2: BAR / 2, y1: 0, y2: 12, class: "axis" }),
            s("rect", {
                x: value < 0 ? BAR / 2 - length : BAR / 2,
                y: 2,
                width: length,
                height: 8,
                rx: 1,
                class: value < 0 ? "minus" : "plus",
            }),
        ),
    );
}
