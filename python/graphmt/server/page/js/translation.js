// The translation as text: its words light up like those of the drawing, and its sentences can be chosen.

import { h, show } from "./dom.js";
import { pieces } from "./text.js";

/** Show all sentences; the chosen one is marked. `choose(number)` chooses another. */
export function showSentences(element, sentences, chosen, choose) {
    if (sentences.length === 1) {
        show(element, h("p", { class: "sentence chosen", dir: "auto" }, sentences[0].translations[0].text));
        return;
    }
    show(
        element,
        sentences.map((sentence, number) => {
            const { text } = sentence.translations[0];
            const is = number === chosen;
            if (is) return h("p", { class: "sentence chosen", dir: "auto" }, text);
            return h(
                "p",
                { class: "sentence", dir: "auto" },
                h(
                    "button",
                    {
                        type: "button",
                        class: "bare",
                        title: "Show how this sentence was translated",
                        on: { click: () => choose(number) },
                    },
                    text,
                ),
            );
        }),
    );
}

/** Make the words of the chosen sentence point to the steps of its drawing. */
export function connectWords(element, translation, diagram, { point }) {
    const line = element.querySelector(".sentence.chosen");
    const found = line && line.textContent === translation.text && pieces(translation.text, translation.tokens);
    if (!found || translation.tokens.length !== diagram.owners.target.length) return;
    show(
        line,
        found.map(({ text, place }) => {
            const step = place === null ? null : diagram.owners.target[place];
            if (step === null) return text;
            const { kind, positions } = diagram.steps[step];
            return h(
                "span",
                {
                    class: `token${kind === "copy" ? " unknown" : ""}${kind === "term" ? " fixed" : ""}`,
                    "data-token-step": step,
                    on: {
                        pointerenter: () => point({ step, source: positions }),
                        pointerleave: () => point({ step: null, source: [] }),
                        click: () => diagram.chooseTarget(place),
                    },
                },
                text,
            );
        }),
    );
}

/** Mark the words of a step in the text. */
export function lightWords(element, step) {
    for (const one of element.querySelectorAll("[data-token-step]")) {
        one.classList.toggle("lit", step !== null && one.dataset.tokenStep === String(step));
    }
}
