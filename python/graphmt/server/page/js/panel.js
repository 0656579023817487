// One system's translation of the text: the text, the drawing of the chosen sentence, its rules and alternatives.

import { Alternatives } from "./alternatives.js";
import { confidenceMeter } from "./confidence.js";
import { drawDiagram } from "./diagram.js";
import { h, show, switchOf } from "./dom.js";
import { showFixed, withChoice } from "./fixed.js";
import { showStep } from "./inspector.js";
import { aboutModel, modelSelect } from "./models.js";
import { consensusSection, memorySection, othersSection } from "./neighbours.js";
import { decimal, times } from "./numbers.js";
import { panelParts } from "./panel-parts.js";
import { selectionSection } from "./selection-graph.js";
import { Session } from "./session.js";
import { addSentences, connectWords, lightWords, listSentences, problemOf, showSentences } from "./translation.js";

const NOTHING = { step: null, source: [] };
const NO_TEXT = "The translation appears here.";

/**
 * A panel. `events.changed()` reports that there are more sentences, `events.choose(number)` that another one was
 * chosen, `events.point(source)` which source words are pointed at, `events.problem(error)` what failed,
 * `events.done(text)` the new translation and `events.model(name)` another system. All get the panel as well.
 */
export class Panel {
    #found = null;
    #diagram = null;
    /** The sentence whose text is shown, and the one that is explained. */
    #listed = null;
    #explained = null;
    /** The problem that was reported, and whether the explanation failed. */
    #reported = null;
    #isUnexplained = false;
    /** Where a span begins that Shift and a click extend. */
    #anchor = null;
    /** The source word that gets the focus when the choice in its span is shown. */
    #chosenPlace = null;
    /** The translation that `events.done` was told of. */
    #told = null;
    #isShown = true;

    constructor(models, model, label, events) {
        Object.assign(this, { models, events, session: new Session(model) });
        this.alternatives = new Alternatives({
            load: (...span) => this.session.alternatives(...span),
            choose: (choice) => this.#fix(withChoice(this.session.choice.fixed, choice), choice.first),
            moved: (first, end) => this.#diagram?.select(first, end),
        });
        const select = modelSelect(models, model, label, (name) => this.setModel(name));
        Object.assign(this, panelParts(label, select, this.alternatives.element, () => this.#copy()));
        this.#showModel();
        this.#clear(NO_TEXT);
        this.session.subscribe(() => this.#update());
    }

    get model() {
        return this.session.model;
    }

    /** Terms to use from the next translation on. */
    set glossary(terms) {
        this.session.glossary = terms;
    }

    /** Whether the panel can be seen; otherwise nothing is explained. */
    set isShown(is) {
        this.#isShown = is;
        if (is) this.#update();
    }

    /** Use another system; the text is translated again. */
    setModel(name) {
        if (name === this.model) return;
        this.alternatives.close();
        this.session.use({ model: name });
        this.#showModel();
        this.events.model?.(name, this);
    }

    #showModel() {
        const model = this.models.find((one) => one.name === this.model);
        this.parts.select.querySelector("select").value = this.model;
        show(this.parts.about, aboutModel(model));
        const change = (consensus) => this.session.use({ consensus });
        show(this.parts.consensus, model.consensus && switchOf("Consensus", change));
    }

    /** Translate a text and show one of its sentences. */
    show(text, sentence = 0) {
        this.alternatives.close();
        if (text !== this.session.text) this.session.sentence = sentence;
        this.session.require(text);
        this.setSentence(sentence);
    }

    /** Show another sentence of the text. */
    setSentence(number) {
        if (number === this.session.sentence) return;
        this.session.sentence = number;
        this.#update();
    }

    /** Do again what failed. */
    retry() {
        if (this.session.problem) this.session.translate();
        else if (this.#isUnexplained) {
            this.#listed = null;
            this.#update();
        }
    }

    /** Move the focus to the chosen sentence. */
    focusSentence() {
        this.parts.output.focus();
        this.parts.output.querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
    }

    /** Show what has changed in the session. */
    #update() {
        const { session, parts } = this;
        const { current, problem } = session;
        if (!session.isWaiting && !problem) this.#tellDone();
        if (session.isWaiting) this.#setBusy(true);
        else if (problem && (!current || session.hasOpenChoice)) this.#fail(problem);
        else if (current) this.#showSentence(current);
        else this.#clear(session.state === "empty" ? NO_TEXT : session.translation);
        if (problem && this.#reported !== problem) this.events.problem?.(problem, this);
        this.#reported = problem;
        parts.copy.hidden = session.state !== "done" || !session.sentences.length;
        this.events.changed?.(this);
    }

    #tellDone() {
        const { state, translation } = this.session;
        if (state === "busy") return;
        if (this.#isShown && this.#told !== translation) this.events.done?.(translation, this);
        this.#told = translation;
    }

    #showSentence(current) {
        const { parts, session } = this;
        if (current === this.#listed) this.#list(addSentences);
        else {
            this.#listed = current;
            this.#explained = null;
            this.#isUnexplained = false;
            this.#list(showSentences);
            const meter = confidenceMeter(current.confidence, session.notesOf(session.sentence));
            show(parts.confidence, h("span", { class: "quiet" }, "Confidence"), meter);
        }
        if (this.#isShown && current !== this.#explained && !this.#isUnexplained) this.#explain(current);
    }

    /** Show the sentences, all of them or those that have come since, and the problem that ended them. */
    #list(showing) {
        const choose = (number) => this.events.choose?.(number, this);
        listSentences(this.parts.output, this.session, showing, choose);
    }

    async #explain(current) {
        this.#explained = current;
        this.#setBusy(true);
        try {
            const found = await this.session.explain();
            // Otherwise newer work is under way.
            if (!found) return;
            this.#showFound(found);
        } catch (error) {
            if (error.status === undefined) throw error;
            this.#fail(error);
            this.#listed = current;
            this.#isUnexplained = true;
            this.events.problem?.(error, this);
        }
        this.#setBusy(false);
    }

    #setBusy(is) {
        if (is) this.element.setAttribute("aria-busy", "true");
        else this.element.removeAttribute("aria-busy");
    }

    #fail(problem) {
        this.#clear("");
        show(this.parts.output, problemOf(problem));
    }

    #clear(text) {
        this.#found = this.#diagram = this.#anchor = this.#listed = this.#explained = null;
        show(this.parts.output, h("p", { class: text === NO_TEXT ? "quiet" : "sentence" }, text));
        show(this.parts.confidence);
        // What is hidden loses the focus.
        if (this.details.contains(document.activeElement)) this.parts.output.focus({ preventScroll: true });
        this.details.hidden = true;
        this.#setBusy(false);
    }

    #showFound(found) {
        const { parts, session } = this;
        const { current, choice } = session;
        const font = `16px ${getComputedStyle(document.body).fontFamily}`;
        const hadFocus = this.details.contains(document.activeElement);
        const isFromMemory = Boolean(current.translation.memory?.taken);
        this.#found = found;
        this.#anchor = null;
        this.details.hidden = false;
        // A translation of the memory has no derivation: a drawing would be that of another translation.
        for (const part of [parts.scroll, parts.caption, parts.inspector]) part.hidden = isFromMemory;
        this.#draw(isFromMemory ? null : found, font);
        showFixed(parts.fixed, choice.fixed, found, (fixed, place) => this.#fix(fixed, place));
        showStep(parts.inspector, found, null);
        const memory = found.neighbours && this.#memorySection(found, isFromMemory);
        show(
            parts.extras,
            isFromMemory
                ? memory
                : [
                      othersSection(found.others, found.translation),
                      found.selection && selectionSection(found.selection, font),
                      found.consensus && consensusSection(found.consensus),
                      memory,
                  ],
        );
        if (hadFocus) this.#restoreFocus();
    }

    #draw(found, font) {
        const { parts } = this;
        let made = null;
        // Drawings that are no longer shown have nothing to say, such as that they lost the focus.
        const point = (what) => made && made === this.#diagram && this.#point(what);
        made = found && drawDiagram(found, { font, point, choose: (what) => this.#choose(what) });
        this.#diagram = made;
        show(parts.scroll, made?.element);
        this.#list(showSentences);
        if (!made) return;
        connectWords(parts.output, found.translation, made, { point });
        this.#point(NOTHING);
    }

    #restoreFocus() {
        const place = this.#chosenPlace ?? 0;
        this.#chosenPlace = null;
        if (this.#diagram) this.#diagram.focusSource(place);
        else this.parts.output.focus({ preventScroll: true });
    }

    #memorySection(found, isTaken) {
        const { choice } = this.session;
        const use = (memory) => {
            this.#chosenPlace = null;
            this.session.choose({ memory, fixed: [] });
        };
        const isChoice = !choice.memory || choice.fixed.length > 0;
        return memorySection(found.neighbours, found.memory, { isTaken, isChoice, own: found.translation.text, use });
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

    /** Translate the sentence again with these choices fixed; `place` is the first word of the one that changed. */
    #fix(fixed, place) {
        this.#chosenPlace = place;
        this.session.choose({ fixed });
    }

    async #copy() {
        const text = this.session.translation;
        const done = await navigator.clipboard?.writeText(text).then(
            () => true,
            () => false,
        );
        show(this.parts.copy, done ? "Copied" : "Cannot copy");
        setTimeout(() => show(this.parts.copy, "Copy"), 1500);
    }
}
