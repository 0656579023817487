// What one system is asked: the text, the chosen sentence, the choices made in sentences; and the answers to it. The
// views show a session; whatever changes in it, they are told.

import { explain, Latest, translate } from "./api.js";
import { plural } from "./numbers.js";
import { isUnknown } from "./steps.js";
import { isConllu, joined, portions, trees } from "./text.js";

/** A sentence without choices: no fixed spans, and a match of the memory is taken. */
const FREE = { fixed: [], memory: true };

/** Requests to a system about a text. A newer request aborts an older one. */
export class Session {
    #translating = new Latest();
    #choosing = new Latest();
    #explaining = new Latest();
    /** Choices by sentence, and the sentences that do not follow theirs yet. */
    #choices = new Map();
    #waiting = new Set();
    #isStale = false;
    #listeners = new Set();

    text = "";
    sentence = 0;
    /** Terms that the translation must use. */
    #glossary = [];
    /** Whether the model's consensus is used. */
    consensus = false;
    /** The sentences so far: `text`, `source`, `confidence`, `translation` and `unknown`, places of unknown words. */
    sentences = [];
    /** "empty", "busy", "done" or "failed", which has a `problem`. */
    state = "empty";
    problem = null;
    /** The portion of the text that is being translated, and their number. */
    portion = [0, 0];

    constructor(model) {
        this.model = model;
    }

    /** Call `listener()` when the state, the sentences or the model have changed. */
    subscribe(listener) {
        this.#listeners.add(listener);
    }

    #tell() {
        for (const listener of this.#listeners) listener();
    }

    set glossary(terms) {
        this.#glossary = terms;
        this.#isStale = true;
    }

    get current() {
        return this.sentences[this.sentence];
    }

    /** Whether the translation of the chosen sentence is under way. */
    get isWaiting() {
        return !this.problem && (this.hasOpenChoice || (this.state === "busy" && !this.current));
    }

    /** Whether the chosen sentence does not follow the choices made in it, as after a problem. */
    get hasOpenChoice() {
        return this.#waiting.has(this.sentence);
    }

    /** The translation of the whole text. */
    get translation() {
        return joined(this.text, this.sentences);
    }

    /** The choices made in a sentence: `fixed` spans, and whether a match of the `memory` is taken. */
    choiceOf(number) {
        return this.#choices.get(number) ?? FREE;
    }

    get choice() {
        return this.choiceOf(this.sentence);
    }

    /** What is to be known of a sentence besides its confidence. */
    notesOf(number) {
        const { fixed } = this.choiceOf(number);
        const isFromMemory = this.sentences[number].translation.memory?.taken;
        const choices = fixed.length > 0 && plural(fixed.length, "fixed choice");
        return [isFromMemory && "from the memory", choices].filter(Boolean);
    }

    /** Use another model from now on, or consensus or not. Choices belong to one model. */
    use({ model = this.model, consensus = false }) {
        if (model !== this.model) this.#choices.clear();
        Object.assign(this, { model, consensus });
        return this.translate();
    }

    /** Translate a text, unless that was done. Choices belong to one text. */
    require(text) {
        if (text === this.text && !this.#isStale && this.state !== "failed") return;
        if (text !== this.text) this.#choices.clear();
        this.text = text;
        this.translate();
    }

    /** Translate the text, portion by portion. */
    async translate() {
        this.#explaining.abort();
        this.#choosing.abort();
        this.#waiting.clear();
        this.#isStale = false;
        Object.assign(this, { sentences: [], problem: null, state: this.text.trim() ? "busy" : "empty" });
        if (this.state === "empty") {
            this.#translating.abort();
            this.#tell();
            return;
        }
        await this.#guarded(async () => {
            const isDone = await this.#translating.run((signal) => this.#portions(signal));
            if (isDone === undefined) return false;
            this.sentence = Math.max(0, Math.min(this.sentence, this.sentences.length - 1));
            if (!this.problem) this.state = "done";
            return true;
        });
    }

    async #portions(signal) {
        const all = portions(this.text);
        for (const [number, input] of all.entries()) {
            this.portion = [number + 1, all.length];
            this.#tell();
            const first = this.sentences.length;
            const answer = await this.#translation(input, FREE, signal, first);
            signal.throwIfAborted();
            this.sentences.push(...answer.sentences.map(shortened));
            for (const chosen of this.#choices.keys())
                if (first <= chosen && chosen < this.sentences.length) await this.#again(chosen, signal);
        }
        return true;
    }

    /** Choose something for the chosen sentence, which is translated again: `fixed`, `memory`. */
    async choose(changes) {
        const number = this.sentence;
        this.#choices.set(number, { ...this.choice, ...changes });
        this.#waiting.add(number);
        this.#explaining.abort();
        this.#tell();
        await this.#guarded(() =>
            this.#choosing.run(async (signal) => {
                for (const one of [...this.#waiting]) {
                    await this.#again(one, signal);
                    this.#waiting.delete(one);
                }
                return true;
            }),
        );
    }

    /** Translate one sentence with its choices. */
    async #again(number, signal) {
        const { text } = this.sentences[number];
        const input = this.#isTrees ? this.#input(number) : { text: [text] };
        const answer = await this.#translation(input, this.choiceOf(number), signal, number);
        signal.throwIfAborted();
        this.sentences[number] = { ...shortened(answer.sentences[0]), text };
    }

    /** Ask for translations; problems name sentences of the request, of which the first is this one of the text. */
    async #translation(input, choice, signal, first) {
        const body = { ...input, ...this.#how, ...choice, confidence: true, derivations: ["json"] };
        try {
            return await translate(body, signal);
        } catch (error) {
            if (first > 0 && /^Sentence \d/.test(error.message))
                error.hint = `${error.hint} Sentences are counted from number ${first + 1} of the text.`.trim();
            throw error;
        }
    }

    /** Do what may fail, and tell the listeners. */
    async #guarded(work) {
        try {
            // Anything else was overtaken by newer work.
            if (!(await work())) return;
        } catch (error) {
            if (error.status === undefined) throw error;
            Object.assign(this, { state: "failed", problem: error });
        }
        this.#tell();
    }

    /**
     * Explain the chosen sentence. Where the model looks at the sentences around it too, that may be another
     * translation: the text shows whatever is explained.
     */
    async explain() {
        const { current } = this;
        const { translation } = current;
        const found = await this.#explaining.run((signal) => explain(this.#question(), signal));
        if (found && !translation.memory?.taken && translation.text !== found.translation.text) {
            Object.assign(current, translated(found.translation));
            this.#tell();
        }
        return found;
    }

    /** The alternatives of one span of the chosen sentence. */
    async alternatives(first, end, most, signal) {
        const body = { ...this.#question(), alternatives: most, span: [first, end], n_best: 1, neighbours: 0 };
        return (await explain(body, signal)).alternatives;
    }

    get #isTrees() {
        return isConllu(this.text);
    }

    get #how() {
        return { model: this.model, glossary: this.#glossary, consensus: this.consensus };
    }

    #input(number) {
        return this.#isTrees ? { conllu: trees(this.text)[number] } : { text: this.sentences[number].text };
    }

    #question() {
        return { ...this.#input(this.sentence), ...this.#how, fixed: this.choice.fixed };
    }
}

/** A sentence of an answer without what only its explanation needs. */
function shortened({ text, source, confidence, translations }) {
    return { text, source, confidence, ...translated(translations[0]) };
}

function translated({ text, tokens, memory, derivation }) {
    const unknown = derivation.steps.filter(isUnknown).flatMap((step) => step.places);
    return { translation: { text, tokens, memory }, unknown: new Set(unknown) };
}
