// Texts: CoNLL-U, writing direction, and where the tokens of a translation are in its text.

const ROW = /^\d+([-.]\d+)?(\t[^\t\n]*){9}$/;

/** Whether a text consists of trees in CoNLL-U. */
export function isConllu(text) {
    const line = text.split("\n", 200).find((one) => one.trim() && !one.startsWith("#"));
    return line !== undefined && ROW.test(line.trimEnd());
}

/** The trees of a text in CoNLL-U, each as a text. */
export function trees(text) {
    return text
        .replaceAll("\r\n", "\n")
        .split(/\n[ \t]*\n/)
        .filter((block) => block.split("\n").some((line) => line.trim() && !line.startsWith("#")))
        .map((block) => `${block.replace(/^\n+|\n+$/g, "")}\n\n`);
}

const LINES = 40;
const CHARACTERS = 8000;
/** The end of a sentence inside a line; a full stop after a short word may be that of an abbreviation. */
const SENTENCE_END = /(?:\p{L}{5,}\.|[!?\u2026])["\u201d\u201c\u00bb\u00ab)]?\s+(?=\p{Lu})/gu;

/**
 * Portions of a text, each as the input of a request: so the first sentences of a long text are there early, and no
 * request has too many. Trees stay whole, and lines as far as they are not very long.
 */
export function portions(text) {
    const is = isConllu(text);
    const units = is ? trees(text) : text.split(/(?<=\n)/).flatMap(shorter);
    const found = [];
    let part = [];
    let size = 0;
    for (const unit of units) {
        if (part.length && (part.length >= LINES || size + unit.length > CHARACTERS)) {
            found.push(part.join(""));
            [part, size] = [[], 0];
        }
        part.push(unit);
        size += unit.length;
    }
    if (part.length) found.push(part.join(""));
    return found.filter((one) => one.trim()).map((one) => (is ? { conllu: one } : { text: one }));
}

/** A line, cut at the ends of sentences if it is very long. */
function shorter(line) {
    if (line.length <= CHARACTERS) return [line];
    const found = [];
    let start = 0;
    let last = 0;
    for (const { index, 0: end } of line.matchAll(SENTENCE_END)) {
        const at = index + end.length;
        if (at - start > CHARACTERS && last > start) {
            found.push(line.slice(start, last));
            start = last;
        }
        last = at;
    }
    if (line.length - start > CHARACTERS && last > start) {
        found.push(line.slice(start, last));
        start = last;
    }
    return [...found, line.slice(start)];
}

/**
 * The translation of a text from those of its sentences, `{text, translation}`: with the white space and whatever else
 * is between the sentences. Trees have a line each.
 */
export function joined(text, sentences) {
    if (isConllu(text)) return sentences.map((one) => one.translation.text).join("\n");
    let at = 0;
    const found = [];
    for (const one of sentences) {
        // Between sentences there are no letters, so this finds the sentence itself.
        const start = text.indexOf(one.text, at);
        if (start < 0) return sentences.map((each) => each.translation.text).join("\n");
        found.push(text.slice(at, start), one.translation.text);
        at = start + one.text.length;
    }
    return found.join("") + text.slice(at);
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

/** Whether most words are of a script that is written from right to left. */
export function isRightToLeft(words) {
    const letters = words.filter((word) => /\p{L}/u.test(word));
    return letters.filter((word) => RIGHT_TO_LEFT.test(word)).length * 2 > letters.length;
}

/**
 * The text of a translation as pieces `{text, place}`: `place` is the token's number, null between tokens.
 * Null if the tokens are not found in it, as where protected text was restored.
 */
export function pieces(text, tokens) {
    const lower = text.toLowerCase();
    if (lower.length !== text.length) return null;
    const found = [];
    let at = 0;
    for (const [place, token] of tokens.entries()) {
        const start = lower.indexOf(token.toLowerCase(), at);
        if (start < 0 || text.slice(at, start).trim()) return null;
        if (start > at) found.push({ text: text.slice(at, start), place: null });
        at = start + token.length;
        found.push({ text: text.slice(start, at), place });
    }
    if (text.slice(at).trim()) return null;
    return found;
}
