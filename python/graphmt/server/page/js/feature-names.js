// What the features of a model measure, in a few words.

const ABOUT = {
    p_source_given_target: "how often the target words translate these source words",
    lex_source_given_target: "the same, word by word",
    p_target_given_source: "how often the source words are translated like this",
    lex_target_given_source: "the same, word by word",
    lm: "language model: how usual the target words are in this order",
    rule_penalty: "number of rules",
    word_penalty: "number of target words, negative",
    distortion: "jumps in the order of the source",
    gap: "gaps inside the source side of rules",
    unknown: "words that no rule translates, negative",
    basic_rule: "rules without context",
    context_mismatch: "rules whose context does not match",
    glue: "parts that are joined in order, without a rule",
    orientation: "reordering model: straight or inverted",
    glossary: "preferred and forbidden terms",
    gm: "collective lexical selection: support from related words",
    lrsm: "lexical selection by a classifier",
    tsm: "lexical selection by topics",
};

/** The meaning of a feature; empty where it has none here. */
export function aboutFeature(name) {
    if (ABOUT[name]) return ABOUT[name];
    const reordering = /^reorder_(previous|next)_(monotone|swap|other)$/.exec(name);
    if (reordering) return `reordering model: ${reordering[2]}, relative to the ${reordering[1]} rule`;
    if (/^l?gc[ms]?\d|^lc\d/.test(name)) return "consensus with similar spans";
    if (/^memory\d/.test(name)) return "n-grams predicted from the training pairs";
    return "";
}
