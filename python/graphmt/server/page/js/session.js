// What one system is asked: the text, the chosen sentence, the fixed choices; and the answers to it.

import { explain, Latest, translate } from "./api.js";
import { asInput, isConllu, trees } from "./text.js";

/** Longer sentences get the alternatives of a span when it is chosen, not all at once. */
const LONGEST_WITH_ALL = 25;

/** Requests to a system about a text. A newer request aborts an older one, whose answer is then undefined. */
export class Session {
    #translating = new Latest();
    #explaining = new Latest();
    /** Fixed choices by sentence. */
    #fixed = new Map();

    text = "";
    sentence = 0;
    /** Terms that the translation must use. */
    glossary = [];
    /** Whether the model's consensus is used. */
    consensus = false;
    /** The sentences of the last translation. */
    sentences = [];

    constructor(model) {
        this.model = model;
    }

    get isEmpty() {
        return !this.text.trim();
    }

    /** The fixed choices of the chosen sentence. */
    get fixed() {
        return this.#fixed.get(this.sentence) ?? [];
    }

    set fixed(choices) {
        this.#fixed.set(this.sentence, choices);
    }

    /** Release all choices: they belong to one text and one system. */
    releaseAll() {
        this.#fixed = new Map();
    }

    get #how() {
        return { model: this.model, glossary: this.glossary, consensus: this.consensus };
    }

    stop() {
        this.#translating.abort();
        this.#explaining.abort();
        this.sentences = [];
    }

    /** Translate the text; returns the whole translation. */
    async translate() {
        this.#explaining.abort();
        const fixed = [...this.#fixed].flatMap(([sentence, spans]) => spans.map((one) => ({ sentence, ...one })));
        const body = { ...asInput(this.text), ...this.#how, confidence: true, fixed };
        const answer = await this.#translating.run((signal) => translate(body, signal));
        if (answer === undefined) return undefined;
        this.sentences = answer.sentences;
        this.sentence = Math.max(0, Math.min(this.sentence, answer.sentences.length - 1));
        return [answer.translation].flat().join("\n");
    }

    /** Explain the chosen sentence. */
    explain() {
        const words = this.sentences[this.sentence].source.tokens.length;
        const body = { ...this.#question(), alternatives: words <= LONGEST_WITH_ALL ? 5 : 0 };
        return this.#explaining.run((signal) => explain(body, signal));
    }

    /** The alternatives of one span of the chosen sentence. */
    async alternatives(first, end, most, signal) {
        const body = { ...this.#question(), alternatives: most, span: [first, end], n_best: 1, neighbours: 0 };
        return (await explain(body, signal)).alternatives;
    }

    #question() {
        const { text } = this.sentences[this.sentence];
        const input = isConllu(this.text) ? { conllu: trees(this.text)[this.sentence] } : { text };
        return { ...input, ...this.#how, fixed: this.fixed };
    }
}
