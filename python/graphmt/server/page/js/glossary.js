// The glossary: terms that translations must use, one per line, and a switch.

import { plural } from "./numbers.js";
import { preferences } from "./state.js";

const PAUSE = 350;

/** The terms of a text with a `source = target` on each line, and the number of other lines. */
export function parseTerms(text) {
    const rows = text.split("\n").filter((row) => row.trim());
    const terms = [];
    for (const row of rows) {
        const at = row.search(/[=\t]/);
        const [source, target] = at < 0 ? [row, ""] : [row.slice(0, at), row.slice(at + 1)];
        if (source.trim() && target.trim()) terms.push({ source: source.trim(), target: target.trim() });
    }
    return { terms, others: rows.length - terms.length };
}

/** Connect the field, the switch and the count; `changed(terms)` is called with the terms to use. */
export function connectGlossary(field, use, count, changed) {
    let timer = 0;
    let before = "[]";
    const report = () => {
        const { terms, others } = parseTerms(field.value);
        const wrong = others ? `, ${plural(others, "line")} without a term` : "";
        count.textContent = terms.length || others ? plural(terms.length, "term") + wrong : "";
        const used = use.checked ? terms : [];
        if (JSON.stringify(used) === before) return;
        before = JSON.stringify(used);
        changed(used);
    };
    field.value = preferences.get("glossary", "");
    field.addEventListener("input", () => {
        preferences.set("glossary", field.value);
        clearTimeout(timer);
        timer = setTimeout(report, PAUSE);
    });
    use.addEventListener("change", report);
    report();
}
