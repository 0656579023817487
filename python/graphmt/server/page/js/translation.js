// The translation as text: its words light up like those of the drawing, and its sentences can be chosen.

import { h, show } from "./dom.js";
import { markOf } from "./steps.js";
import { pieces } from "./text.js";

/** List the sentences of a session by `showing` them all or adding some, then its problem; the focus stays inside. */
export function listSentences(element, { sentences, sentence, problem }, showing, choose) {
    const hadFocus = element.contains(document.activeElement);
    element.querySelector(".trouble")?.remove();
    showing(element, sentences, sentence, choose);
    if (problem) element.append(problemOf(problem));
    // The focus may have been on a button that was replaced.
    if (hadFocus && !element.contains(document.activeElement)) element.focus({ preventScroll: true });
}

/** A problem as the sentence that it is, with its hint. */
export function problemOf({ message, hint }) {
    const about = hint && h("p", { class: "quiet" }, hint);
    return h("div", { class: "trouble" }, h("p", { class: "problem" }, message), about);
}

/** Show all sentences; the chosen one is marked. `choose(number)` chooses another. */
export function showSentences(element, sentences, chosen, choose) {
    show(
        element,
        sentences.map((sentence, number) => line(sentence, number, number === chosen, choose)),
    );
}

/** Add the sentences that are not shown yet. */
export function addSentences(element, sentences, chosen, choose) {
    const count = element.querySelectorAll(".sentence").length;
    element.append(...sentences.slice(count).map((one, k) => line(one, count + k, count + k === chosen, choose)));
}

function line(sentence, number, isChosen, choose) {
    const text = markedText(sentence);
    if (isChosen) return h("p", { class: "sentence chosen", dir: "auto" }, text);
    const attributes = { type: "button", class: "bare", title: "Show how this sentence was translated" };
    const button = h("button", { ...attributes, on: { click: () => choose(number) } }, text);
    return h("p", { class: "sentence", dir: "auto" }, button);
}

/** The translation of a sentence with its unknown words marked. */
export function markedText({ translation, unknown }) {
    const found = unknown.size > 0 && pieces(translation.text, translation.tokens);
    if (!found) return translation.text;
    return found.map(({ text, place }) => (unknown.has(place) ? h("span", { class: "token unknown" }, text) : text));
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
            return h(
                "span",
                {
                    class: ["token", markOf(diagram.steps[step])].filter(Boolean).join(" "),
                    "data-token-step": step,
                    on: {
                        pointerenter: () => point({ step, source: diagram.steps[step].positions }),
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
