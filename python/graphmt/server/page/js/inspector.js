// A rule in detail: what it is, what its features add, and why it beat the runner-up.

import { h, show } from "./dom.js";
import { differenceTable, stepTable, summary } from "./features.js";
import { decimal, signed, times } from "./numbers.js";
import { kindName, shadeClass, spanOf } from "./steps.js";

/** Show a step of an explained sentence. `alternatives(first, end, button)` opens those of its span. */
export function showStep(element, found, step, alternatives) {
    if (!step) {
        show(
            element,
            h(
                "p",
                { class: "quiet" },
                "Choose a word or a bar to see its rule, the rule\u2019s features and the runner-up.",
            ),
        );
        return;
    }
    const scored = found.translation.steps[step.number];
    const open = h(
        "button",
        { type: "button", on: { click: () => alternatives(...spanOf(step), open) } },
        "Alternatives\u2026",
    );
    show(
        element,
        h(
            "div",
            { class: "rule-head" },
            h("h3", { class: `rule ${shadeClass(step.shade)}`, dir: "auto" }, step.rule),
            step.source.length > 0 && open,
        ),
        h("p", { class: "quiet" }, about(found, step, scored)),
        h(
            "div",
            { class: "columns" },
            scored &&
                h("div", { role: "group", "aria-label": "Features of the rule" }, stepTable(scored, found.weights)),
            scored && h("div", { role: "group", "aria-label": "Runner-up" }, runnerUp(found, step, scored.runner_up)),
        ),
    );
}

function about(found, step, scored) {
    const parts = [kindName(step.kind)];
    if (step.count > 0) parts.push(`seen ${times(step.count)} in training`);
    if (step.context?.length) parts.push(`context: ${step.context.map((k) => found.source.tokens[k]).join(" ")}`);
    const links = linksInside(found.source, step.positions);
    if (links.length) parts.push(`links: ${links.join(", ")}`);
    if (scored) parts.push(`adds ${signed(scored.score)} to the score of ${decimal(found.translation.score)}`);
    return parts.join(" · ");
}

/** The dependencies inside a rule, as text. */
export function linksInside({ tokens, heads, deprels }, positions) {
    return positions
        .filter((place) => positions.includes(heads[place]))
        .map(
            (place) => `${tokens[heads[place]]} \u2192 ${tokens[place]}${deprels[place] ? ` (${deprels[place]})` : ""}`,
        );
}

function runnerUp(found, step, other) {
    if (!step.positions.length)
        return h("p", { class: "quiet" }, "This rule has no words of its own, so it has no runner-up.");
    if (!other) {
        return h(
            "p",
            { class: "quiet" },
            "Every other translation on the list uses this rule too: there is no runner-up.",
        );
    }
    const margin = found.translation.score - other.score;
    const why = summary(other.differences);
    return [
        h("h4", {}, "Why it beat the runner-up"),
        h("p", {}, "The best translation without this rule: ", h("q", { dir: "auto" }, other.text)),
        other.steps.length > 0 &&
            h(
                "ul",
                { class: "instead" },
                other.steps.map((one) => h("li", { dir: "auto" }, one.rule)),
            ),
        h(
            "p",
            {},
            margin > 0 ? `It scores ${decimal(margin)} less` : "It scores the same",
            why && ` \u2013 ${why}`,
            ".",
        ),
        differenceTable(other.differences, ["Chosen", "Runner-up"], "The two translations, feature by feature"),
    ];
}
