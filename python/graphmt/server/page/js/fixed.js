// Fixed choices: the spans whose translation was chosen, what they changed, and buttons that release them.

import { h, show } from "./dom.js";
import { differenceTable } from "./features.js";
import { decimal } from "./numbers.js";

/** Add a choice to others; those that overlap with it are released. */
export function withChoice(fixed, choice) {
    return [...fixed.filter((one) => one.end <= choice.first || choice.end <= one.first), choice];
}

/** Show the fixed choices of a sentence. `change(fixed, place)` is called with those that remain, and where one was. */
export function showFixed(element, fixed, found, change) {
    if (!fixed.length) {
        show(element);
        return;
    }
    const words = ({ first, end }) => found.source.tokens.slice(first, end).join(" ");
    show(
        element,
        h(
            "ul",
            { class: "chips", "aria-label": "Fixed choices" },
            fixed.map((one) =>
                h(
                    "li",
                    { class: "chip" },
                    h("span", { dir: "auto" }, `${words(one)} \u2192 ${one.target}`),
                    h(
                        "button",
                        {
                            type: "button",
                            class: "bare",
                            "aria-label": `Release ${words(one)}`,
                            title: "Release",
                            on: { click: () => change(fixed.filter((other) => other !== one), one.first) },
                        },
                        "\u00d7",
                    ),
                ),
            ),
            fixed.length > 1 &&
                h(
                    "li",
                    {},
                    h(
                        "button",
                        { type: "button", class: "plain", on: { click: () => change([], fixed[0].first) } },
                        "Release all",
                    ),
                ),
        ),
        found.fixed && effect(found),
    );
}

function effect(found) {
    const { without, differences } = found.fixed;
    const gain = found.translation.score - without.score;
    return h(
        "details",
        { class: "effect" },
        h(
            "summary",
            {},
            "Without the choice: ",
            h("q", { dir: "auto" }, without.text),
            ` (score ${decimal(Math.abs(gain))} ${gain > 0 ? "lower" : "higher"})`,
        ),
        differenceTable(differences, ["With", "Without"], "What the choice changed, feature by feature"),
        h(
            "p",
            { class: "quiet" },
            "A fixed span has no features of a rule, so the two scores are not quite comparable.",
        ),
    );
}
