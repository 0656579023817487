// The steps of a derivation as the drawing needs them: which words are theirs, and which lie below them.

const COLOURS = 8;
/** Each colour is there with a light and a strong fill, and both again with a dashed border. */
const ROUNDS = 4;

/** The classes of the k-th of several things that must be told apart; of none for null. */
export function shadeClass(k) {
    if (k === null || k === undefined) return "no-colour";
    return `colour-${k % COLOURS} round-${Math.floor(k / COLOURS) % ROUNDS}`;
}

/**
 * For every step: its `positions` and `places`, `source` and `target` (all words that it covers with its children), its
 * `shade` (its number from the left, which decides its colour; null for rules without words, such as glue), its `rule` and `kind`.
 */
export function readSteps(derivation) {
    const { steps } = derivation;
    const below = (number, field, seen = new Set()) => {
        if (seen.has(number)) return [];
        seen.add(number);
        return [...steps[number][field], ...steps[number].children.flatMap((child) => below(child, field, seen))];
    };
    const made = steps.map((step, number) => ({
        ...step,
        number,
        source: sorted(below(number, "positions")),
        targets: sorted(below(number, "places")),
        shade: null,
    }));
    const coloured = made.filter((step) => step.positions.length || step.places.length);
    coloured.sort((a, b) => (a.positions[0] ?? Infinity) - (b.positions[0] ?? Infinity) || a.number - b.number);
    for (const [rank, step] of coloured.entries()) step.shade = rank;
    return made;
}

function sorted(numbers) {
    return [...new Set(numbers)].sort((a, b) => a - b);
}

/** The number of the step to which each source word belongs, null for none. */
export function ownersOf(steps, field, count) {
    const owners = Array(count).fill(null);
    for (const step of steps) for (const place of step[field]) owners[place] = step.number;
    return owners;
}

/** The span of tokens that a step covers with its children: the first, and the one after the last. */
export function spanOf(step) {
    return [step.source[0], step.source.at(-1) + 1];
}

const KINDS = {
    rule: "rule",
    basic: "rule without context",
    segmenting: "segmenting rule: linked to the words translated next",
    selecting: "selecting rule: not linked to the words translated next",
    glue: "glue: joins its parts in order",
    pseudo: "glue of a head and its dependents",
    straight: "joins two parts in order",
    inverted: "joins two parts in reverse order",
    copy: "unknown word, copied",
    term: "fixed translation or glossary term",
};

/** The typed tokens of protected text; they are copied, but not unknown. */
const TYPED = /^\u27e8.+\u27e9$/u;

/** Whether a step copies an unknown word. */
export function isUnknown(step) {
    return step.kind === "copy" && !step.target.every((word) => TYPED.test(word));
}

/** The class of a step's words on the page; none for most. */
export function markOf(step) {
    if (isUnknown(step)) return "unknown";
    return step.kind === "term" ? "fixed" : null;
}

/** A kind of rule in words. */
export function kindName(kind) {
    return KINDS[kind] ?? kind;
}
