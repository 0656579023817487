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

/**
 * The best match of the memory and similar pairs. `isTaken`: the match is the translation, instead of the model's
 * `own`; `isChoice`: it is not, because of a choice; `use(isWanted)` changes that.
 */
export function memorySection(neighbours, match, { isTaken, isChoice, own, use }) {
    return h(
        "div",
        { class: "extra", role: "group", "aria-label": "Translation memory" },
        h("h3", {}, "Translation memory"),
        match && h("p", {}, aboutMatch(match, isTaken, isChoice), h("q", { dir: "auto" }, match.target), share(match)),
        isTaken && h("p", {}, "The model translates: ", h("q", { dir: "auto" }, own)),
        isTaken && h("p", {}, choice("Use the model\u2019s translation", () => use(false))),
        !isTaken && isChoice && match?.similarity === 1 && !match.contradicts
            ? h("p", {}, choice("Use the memory\u2019s translation", () => use(true)))
            : null,
        neighbours.length
            ? list(neighbours, (one) => h("li", { dir: "auto" }, one.target))
            : h("p", { class: "quiet" }, "The memory has no similar sentence."),
    );
}

function aboutMatch(match, isTaken, isChoice) {
    const is = "This sentence is in the memory";
    if (isTaken) return `${is}, and its translation is taken from there: `;
    if (match.similarity < 1) return "Best match: ";
    if (match.contradicts) return `${is}, but its translation contradicts the glossary (${match.contradicts}): `;
    return isChoice ? `${is}, with the translation: ` : `${is}, but with other protected text: `;
}

function share(match) {
    return ` (${percent(match.similarity)})`;
}

function choice(label, click) {
    return h("button", { type: "button", on: { click } }, label);
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
