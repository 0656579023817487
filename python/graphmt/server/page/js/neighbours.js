// Similar sentences: those of consensus with their translations, and those of the translation memory.

import { h } from "./dom.js";
import { percent, signed } from "./numbers.js";

export function consensusSection({ text, neighbours }) {
    return h(
        "div",
        { class: "extra", role: "group", "aria-label": "Consensus" },
        h("h3", {}, "Consensus"),
        h("p", {}, "With consensus: ", h("q", { dir: "auto" }, text)),
        neighbours.length
            ? list(neighbours, (one) =>
                  one.translations.map(([said, probability]) =>
                      h("li", { dir: "auto" }, said, h("span", { class: "quiet" }, ` ${percent(probability)}`)),
                  ),
              )
            : h("p", { class: "quiet" }, "No source of the memory is similar to this sentence."),
    );
}

export function memorySection(neighbours, match) {
    return h(
        "div",
        { class: "extra", role: "group", "aria-label": "Translation memory" },
        h("h3", {}, "Translation memory"),
        match &&
            h(
                "p",
                {},
                match.taken
                    ? "This sentence is in the memory, and its translation is taken from there: "
                    : "Best match: ",
                h("q", { dir: "auto" }, match.target),
                ` (${percent(match.similarity)})`,
            ),
        neighbours.length
            ? list(neighbours, (one) => h("li", { dir: "auto" }, one.target))
            : h("p", { class: "quiet" }, "The memory has no similar sentence."),
    );
}

function list(neighbours, translations) {
    return h(
        "ol",
        { class: "neighbours" },
        neighbours.map((one) =>
            h(
                "li",
                {},
                h("span", { class: "similarity" }, percent(one.similarity)),
                h("div", {}, h("p", { dir: "auto" }, one.source), h("ul", {}, translations(one))),
            ),
        ),
    );
}

/** The next best translations of a sentence. */
export function othersSection(others, best) {
    if (!others.length) return null;
    return h(
        "div",
        { class: "extra", role: "group", "aria-label": "Other translations" },
        h("h3", {}, "Other translations"),
        h(
            "ol",
            { class: "others" },
            others.map((one) =>
                h(
                    "li",
                    {},
                    h("span", { dir: "auto" }, one.text),
                    h("span", { class: "quiet" }, ` ${signed(one.score - best.score)}`),
                ),
            ),
        ),
    );
}
