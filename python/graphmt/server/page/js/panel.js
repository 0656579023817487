// One system's translation of the text: the text, the drawing of the chosen sentence, its rules and alternatives.

import { Alternatives } from "./alternatives.js";
import { confidenceMeter } from "./confidence.js";
import { drawDiagram } from "./diagram.js";
import { h, newId, show, switchOf } from "./dom.js";
import { showFixed, withChoice } from "./fixed.js";
import { showStep } from "./inspector.js";
import { aboutModel, modelSelect } from "./models.js";
import { consensusSection, memorySection, othersSection } from "./neighbours.js";
import { decimal, times } from "./numbers.js";
import { selectionSection } from "./selection-graph.js";
import { Session } from "./session.js";
import { connectWords, lightWords, showSentences } from "./translation.js";

const NOTHING = { step: null, source: [] };

/**
 * A panel. `events.sentences(list)` reports the sentences of a new translation, `events.choose(number)` that
 * another one was chosen, `events.point(source)` which source words are pointed at, `events.problem(error)` what failed,
 * `events.done(text)` the new translation and `events.model(name)` another system. All get the panel as well.
 */
export class Panel {
    #found = null;
    #diagram = null;
    /** Whether what is shown was translated with other settings. */
    #isStale = false;
    /** Where a span begins that Shift and a click extend. */
    #anchor = null;

    constructor(models, model, label, events) {
        Object.assign(this, { models, events, session: new Session(model) });
        this.alternatives = new Alternatives({
            load: (...span) => this.session.alternatives(...span),
            choose: (choice) => this.#fix(withChoice(this.session.fixed, choice)),
            moved: (first, end) => this.#diagram?.select(first, end),
        });
        this.#build(model, label);
        this.#showModel();
        this.#clear("The translation appears here.");
    }

    #build(model, label) {
        const heading = newId("panel");
        this.parts = {
            select: modelSelect(this.models, model, label, (name) => this.setModel(name)),
            about: h("p", { class: "quiet" }),
            consensus: h("span"),
            confidence: h("span", { class: "sure" }),
            copy: h("button", { type: "button", class: "plain", on: { click: () => this.#copy() } }, "Copy"),
            output: h("div", { class: "output", role: "group", "aria-label": "Translation", tabindex: 0 }),
            fixed: h("div", { class: "fixed-choices" }),
            scroll: h("div", { class: "scroll" }),
            caption: h("p", { class: "caption", "aria-hidden": "true" }),
            inspector: h("div", { class: "inspector", role: "group", "aria-label": "Rule" }),
            extras: h("div", { class: "extras" }),
        };
        const { select, about, consensus, confidence, copy, output, ...details } = this.parts;
        this.details = h("div", { class: "details", hidden: true }, Object.values(details));
        this.element = h(
            "section",
            { class: "card panel", "aria-labelledby": heading },
            h("h2", { id: heading, class: "hidden" }, label),
            h("div", { class: "card-head" }, select, consensus, confidence, copy),
            about,
            output,
            this.details,
            this.alternatives.element,
        );
    }

    get model() {
        return this.session.model;
    }

    /** Terms to use from the next translation on. */
    set glossary(terms) {
        this.session.glossary = terms;
        this.#isStale = true;
    }

    #setConsensus(isWanted) {
        this.session.consensus = isWanted;
        this.#refresh();
    }

    /** Use another system; the text is translated again. */
    setModel(name) {
        if (name === this.model) return;
        Object.assign(this.session, { model: name, consensus: false });
        this.session.releaseAll();
        this.#showModel();
        this.events.model?.(name, this);
        this.#refresh();
    }

    #showModel() {
        const model = this.models.find((one) => one.name === this.model);
        this.parts.select.querySelector("select").value = this.model;
        show(this.parts.about, aboutModel(model));
        show(
            this.parts.consensus,
            model.consensus && switchOf("Consensus", (isWanted) => this.#setConsensus(isWanted)),
        );
    }

    /** Translate a text and show one of its sentences. */
    async show(text, sentence = 0) {
        if (text === this.session.text && this.#found && !this.#isStale) {
            await this.setSentence(sentence);
            return;
        }
        if (text !== this.session.text) this.session.releaseAll();
        Object.assign(this.session, { text, sentence });
        await this.#refresh();
    }

    /** Show another sentence of the text. */
    async setSentence(number) {
        if (number === this.session.sentence || number >= this.session.sentences.length) return;
        this.session.sentence = number;
        await this.#asked(() => this.#showSentence());
    }

    async #refresh() {
        const { session } = this;
        this.#isStale = false;
        this.alternatives.close();
        if (session.isEmpty) {
            session.stop();
            this.#clear("The translation appears here.");
            this.events.done?.("", this);
            return;
        }
        await this.#asked(async () => {
            const text = await session.translate();
            if (text === undefined) return undefined;
            this.events.done?.(text, this);
            this.events.sentences?.(session.sentences, this);
            if (session.sentences.length) return this.#showSentence();
            this.#clear(text);
            return true;
        });
    }

    /** Do what may fail or be overtaken; problems are shown as the sentences they are. */
    async #asked(work) {
        this.element.setAttribute("aria-busy", "true");
        try {
            // Undefined: a newer request is under way.
            if ((await work()) === undefined) return;
        } catch (error) {
            if (error.status === undefined) throw error;
            this.session.sentences = [];
            this.#clear("");
            show(
                this.parts.output,
                h("p", { class: "problem" }, error.message),
                error.hint && h("p", { class: "quiet" }, error.hint),
            );
            this.events.problem?.(error, this);
        }
        this.element.removeAttribute("aria-busy");
    }

    #clear(text) {
        this.#found = this.#diagram = this.#anchor = null;
        show(this.parts.output, h("p", { class: text && !this.session.isEmpty ? "sentence" : "quiet" }, text));
        show(this.parts.confidence);
        this.parts.copy.hidden = true;
        this.details.hidden = true;
        this.element.removeAttribute("aria-busy");
    }

    async #showSentence() {
        const { sentences, sentence } = this.session;
        const sure = sentences[sentence].confidence;
        showSentences(this.parts.output, sentences, sentence, (number) => this.events.choose?.(number, this));
        show(this.parts.confidence, sure && [h("span", { class: "quiet" }, "Confidence"), confidenceMeter(sure)]);
        this.parts.copy.hidden = false;
        const found = await this.session.explain();
        if (found) this.#showFound(found);
        return found && true;
    }

    #showFound(found) {
        const { parts, session } = this;
        const font = `16px ${getComputedStyle(document.body).fontFamily}`;
        const point = (what) => this.#point(what);
        this.#found = found;
        this.#anchor = null;
        this.#diagram = drawDiagram(found, { font, point, choose: (what) => this.#choose(what) });
        this.details.hidden = false;
        show(parts.scroll, this.#diagram.element);
        connectWords(parts.output, found.translation, this.#diagram, { point });
        this.#point(NOTHING);
        showFixed(parts.fixed, session.fixed, found, (fixed) => this.#fix(fixed));
        showStep(parts.inspector, found, null);
        show(
            parts.extras,
            othersSection(found.others, found.translation),
            found.selection && selectionSection(found.selection, font),
            found.consensus && consensusSection(found.consensus),
            found.neighbours && memorySection(found.neighbours, found.memory),
        );
    }

    #point({ step, source }) {
        this.#diagram.light(step);
        lightWords(this.parts.output, step);
        this.#caption(step);
        this.events.point?.(source, this);
    }

    /** Light up what translates some source words, as the other panel asks. */
    lightSource(positions) {
        this.#diagram?.lightSource(positions);
    }

    #caption(number) {
        const step = number === null ? null : this.#diagram.steps[number];
        if (!step) {
            show(this.parts.caption, "Point at a word to see its rule; choose one for alternatives.");
            return;
        }
        const seen = step.count > 0 ? ` \u00b7 seen ${times(step.count)}` : "";
        const { score } = this.#found.translation.steps[number];
        show(this.parts.caption, h("strong", { dir: "auto" }, step.rule), `${seen} \u00b7 ${decimal(score)}`);
    }

    #choose({ first, end, step, extend, anchor }) {
        if (!extend || !this.#anchor) this.#anchor = { first, end };
        const from = this.#anchor;
        const open = (start, after, beside) => this.alternatives.open(this.#found, start, after, beside);
        showStep(this.parts.inspector, this.#found, this.#diagram.steps[step] ?? null, open);
        open(Math.min(first, from.first), Math.max(end, from.end), anchor);
    }

    /** Translate again with these choices fixed. */
    async #fix(fixed) {
        this.session.fixed = fixed;
        await this.#refresh();
        this.#diagram?.element.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
    }

    async #copy() {
        const text = this.session.sentences.map((one) => one.translations[0].text).join(" ");
        const done = await navigator.clipboard?.writeText(text).then(
            () => true,
            () => false,
        );
        show(this.parts.copy, done ? "Copied" : "Cannot copy");
        setTimeout(() => show(this.parts.copy, "Copy"), 1500);
    }
}
