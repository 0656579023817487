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

/** The field of a request that has this text. */
export function asInput(text) {
    return isConllu(text) ? { conllu: text.endsWith("\n") ? text : `${text}\n` } : { text };
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
