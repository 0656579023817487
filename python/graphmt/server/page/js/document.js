// A whole document: its sentences with their translations and confidence. Portions of it are translated one by one, so
// that the first sentences of a long document are there early.

import { Latest, translate } from "./api.js";
import { confidenceMeter, lowestQuarter } from "./confidence.js";
import { h, newId, show } from "./dom.js";
import { modelSelect } from "./models.js";
import { plural } from "./numbers.js";
import { isConllu, trees } from "./text.js";

const LINES = 40;
const CHARACTERS = 8000;

/** Portions of a text, each as the input of a request. Lines and trees stay whole. */
export function portions(text) {
    const is = isConllu(text);
    const units = is ? trees(text) : text.split("\n");
    const found = [];
    let part = [];
    let size = 0;
    for (const unit of units) {
        if (part.length && (part.length >= LINES || size + unit.length > CHARACTERS)) {
            found.push(part);
            [part, size] = [[], 0];
        }
        part.push(unit);
        size += unit.length;
    }
    if (part.length) found.push(part);
    return found.map((one) => (is ? { conllu: one.join("") } : { text: one.join("\n") }));
}

/** The document view. `inspect(number)` shows a sentence in detail; `done(text)` tells that all is translated. */
export class DocumentView {
    /** Terms that the translation must use. */
    glossary = [];
    #latest = new Latest();
    #text = "";
    #rows = [];
    #parts = [];

    constructor(element, models, model, events) {
        Object.assign(this, { models, model, events });
        this.summary = h("p", { class: "quiet", role: "status" });
        this.body = h("tbody");
        this.order = h(
            "select",
            { on: { change: () => this.#showRows() } },
            h("option", { value: "text" }, "as in the text"),
            h("option", { value: "confidence" }, "least confident first"),
        );
        const heading = newId("document");
        this.table = h(
            "div",
            { class: "table-wrap", role: "group", tabindex: 0, "aria-labelledby": heading, hidden: true },
            h(
                "table",
                { class: "document" },
                h("caption", { class: "hidden" }, "Sentences with their translations and confidence"),
                h(
                    "thead",
                    {},
                    h(
                        "tr",
                        {},
                        ["No.", "Source", "Translation", "Confidence"].map((text) => h("th", { scope: "col" }, text)),
                    ),
                ),
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
                    modelSelect(models, model, "System", (name) => this.#setModel(name)),
                    h("label", { class: "model" }, h("span", {}, "Order"), this.order),
                    this.save,
                ),
                this.summary,
                this.table,
            ),
        );
    }

    #setModel(name) {
        this.model = name;
        this.translate(this.#text);
    }

    /** Stop what is under way, as when the view is left. */
    stop() {
        this.#latest.abort();
    }

    async translate(text) {
        this.#text = text;
        [this.#rows, this.#parts] = [[], []];
        this.save.disabled = true;
        this.#showRows();
        if (!text.trim()) {
            this.#latest.abort();
            show(this.summary, "Type or paste a document above.");
            return;
        }
        const all = portions(text);
        try {
            const finished = await this.#latest.run(async (signal) => {
                for (const [number, input] of all.entries()) {
                    show(
                        this.summary,
                        `Translating${all.length > 1 ? `, part ${number + 1} of ${all.length}` : ""}\u2026`,
                    );
                    const { model, glossary } = this;
                    const answer = await translate({ ...input, model, glossary, confidence: true }, signal);
                    if (signal.aborted) return false;
                    this.#parts.push([answer.translation].flat().join("\n"));
                    this.#rows.push(...answer.sentences);
                    this.#showRows();
                }
                return true;
            });
            if (!finished) return;
            this.save.disabled = false;
            this.#summarise();
        } catch (error) {
            show(this.summary, h("span", { class: "problem" }, error.message), error.hint && ` ${error.hint}`);
            this.events.problem?.(error);
        }
    }

    #summarise() {
        const low = this.#rows.filter((one) => one.confidence.value < lowestQuarter(this.#rows)).length;
        const unknown = this.#rows.filter((one) => one.confidence.unknown > 0).length;
        const parts = [plural(this.#rows.length, "sentence")];
        if (low) parts.push(`${low} to check first`);
        if (unknown) parts.push(`${unknown} with unknown words`);
        show(
            this.summary,
            `${parts.join(", ")}. Confidence ranks sentences; it is not the probability that they are right.`,
        );
    }

    #showRows() {
        this.table.hidden = !this.#rows.length;
        const rows = this.#rows.map((sentence, number) => ({ sentence, number }));
        if (this.order.value === "confidence")
            rows.sort((a, b) => a.sentence.confidence.value - b.sentence.confidence.value);
        const quarter = lowestQuarter(this.#rows);
        show(
            this.body,
            rows.map(({ sentence, number }) =>
                h(
                    "tr",
                    {},
                    h("td", { class: "number" }, String(number + 1)),
                    h("td", { dir: "auto", class: "source-text" }, sentence.text),
                    h(
                        "td",
                        { dir: "auto" },
                        h(
                            "button",
                            {
                                type: "button",
                                class: "bare",
                                title: "Show how this sentence was translated",
                                on: { click: () => this.events.inspect(number, this.model) },
                            },
                            sentence.translations[0].text,
                        ),
                    ),
                    h("td", {}, confidenceMeter(sentence.confidence, sentence.confidence.value < quarter)),
                ),
            ),
        );
    }

    #download() {
        const address = URL.createObjectURL(new Blob([this.#parts.join("\n"), "\n"], { type: "text/plain" }));
        h("a", { href: address, download: "translation.txt" }).click();
        setTimeout(() => URL.revokeObjectURL(address), 1000);
    }
}
