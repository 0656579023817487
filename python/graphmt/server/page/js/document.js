// A whole document: the sentences of a session with their translations and confidence.

import { confidenceMeter, lowestQuarter } from "./confidence.js";
import { h, newId, show } from "./dom.js";
import { modelSelect } from "./models.js";
import { plural } from "./numbers.js";
import { markedText } from "./translation.js";

/** The document view. `events.inspect(number)` shows a sentence in detail; `events.model(name)` chooses a system. */
export class DocumentView {
    #isShown = false;
    /** The rows of `#sentences`: the sentence, the translation that is shown, and the element of each. */
    #rows = [];
    #sentences = null;

    constructor(element, models, session, events) {
        Object.assign(this, { session, events });
        this.summary = h("p", { class: "quiet", role: "status" });
        this.body = h("tbody");
        this.order = h(
            "select",
            { on: { change: () => this.#showRows() } },
            h("option", { value: "text" }, "as in the text"),
            h("option", { value: "confidence" }, "least confident first"),
        );
        this.model = modelSelect(models, session.model, "System", (name) => events.model(name));
        const heading = newId("document");
        const heads = ["No.", "Source", "Translation", "Confidence"].map((text) => h("th", { scope: "col" }, text));
        this.table = h(
            "div",
            { class: "table-wrap", role: "group", tabindex: 0, "aria-labelledby": heading, hidden: true },
            h(
                "table",
                { class: "document" },
                h("caption", { class: "hidden" }, "Sentences with their translations and confidence"),
                h("thead", {}, h("tr", {}, heads)),
                this.body,
            ),
        );
        this.save = h(
            "button",
            { type: "button", class: "plain", disabled: true, on: { click: () => this.#download() } },
            "Save translation",
        );
        show(
            element,
            h(
                "section",
                { class: "card", "aria-labelledby": heading },
                h("h2", { id: heading, class: "hidden" }, "Document"),
                h(
                    "div",
                    { class: "card-head" },
                    this.model,
                    h("label", { class: "model" }, h("span", {}, "Order"), this.order),
                    this.save,
                ),
                this.summary,
                this.table,
            ),
        );
        session.subscribe(() => this.#update());
    }

    /** Whether the view can be seen; otherwise it does not follow the session. */
    set isShown(is) {
        this.#isShown = is;
        this.#update();
    }

    #update() {
        if (!this.#isShown) return;
        const { session } = this;
        this.model.querySelector("select").value = session.model;
        this.save.disabled = session.state !== "done";
        show(this.summary, this.#summary());
        this.#showRows();
    }

    #summary() {
        const { state, portion, problem, sentences } = this.session;
        const [number, all] = portion;
        if (state === "empty") return "Type or paste a document above.";
        if (state === "busy") return `Translating${all > 1 ? `, part ${number} of ${all}` : ""}\u2026`;
        if (problem) return [h("span", { class: "problem" }, problem.message), problem.hint && ` ${problem.hint}`];
        const quarter = lowestQuarter(sentences);
        const low = sentences.filter((one) => one.confidence.value < quarter).length;
        const unknown = sentences.filter((one) => one.confidence.unknown > 0).length;
        const parts = [plural(sentences.length, "sentence")];
        if (low) parts.push(`${low} to check first`);
        if (unknown) parts.push(`${unknown} with unknown words`);
        return `${parts.join(", ")}. Confidence ranks sentences; it is not the probability that they are right.`;
    }

    /** Rows that are shown already stay, and with them the focus. */
    #showRows() {
        const { sentences } = this.session;
        if (sentences !== this.#sentences) [this.#sentences, this.#rows] = [sentences, []];
        this.table.hidden = !sentences.length;
        for (const [number, one] of sentences.entries()) {
            const { translation } = one;
            if (this.#rows[number]?.translation !== translation)
                this.#rows[number] = { of: one, translation, element: this.#row(one, number) };
        }
        const quarter = lowestQuarter(sentences);
        for (const { of, element } of this.#rows)
            element.querySelector(".confidence").classList.toggle("low", of.confidence.value < quarter);
        const order = [...this.#rows];
        if (this.order.value === "confidence") order.sort((a, b) => a.of.confidence.value - b.of.confidence.value);
        for (const [place, { element }] of order.entries()) {
            const there = this.body.children[place];
            if (there !== element) this.body.insertBefore(element, there ?? null);
        }
        while (this.body.children.length > order.length) this.body.lastChild.remove();
    }

    #row(sentence, number) {
        const attributes = { type: "button", class: "bare", title: "Show how this sentence was translated" };
        return h(
            "tr",
            {},
            h("td", { class: "number" }, String(number + 1)),
            h("td", { dir: "auto", class: "source-text" }, sentence.text),
            h(
                "td",
                { dir: "auto" },
                h("button", { ...attributes, on: { click: () => this.events.inspect(number) } }, markedText(sentence)),
            ),
            h("td", {}, confidenceMeter(sentence.confidence, this.session.notesOf(number))),
        );
    }

    #download() {
        const text = this.session.translation;
        const whole = text.endsWith("\n") ? text : `${text}\n`;
        const address = URL.createObjectURL(new Blob([whole], { type: "text/plain" }));
        h("a", { href: address, download: "translation.txt" }).click();
        setTimeout(() => URL.revokeObjectURL(address), 1000);
    }
}
