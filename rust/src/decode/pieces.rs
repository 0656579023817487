//! Sentences that are too long for one search: cut into pieces, which are translated one by one and joined.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::annotate::Annotate;
use super::derivation::{Derivation, Step};
use super::sentence::Sentence;
use super::terms::Term;
use super::text_key::TextKey;
use super::translator::{NBestRequest, SpanTranslations, Translations, Translator};
use crate::error::Result;
use crate::source::spans::Span;
use crate::store::hashing::FastSet;

/// The length limit of a piece: well below the limits of the searches, so that time and memory grow linearly with the
/// length of the sentence.
pub const PIECE: usize = 128;

/// The quality of a cut: after the end of a sentence, after the end of a clause, anywhere. Lower is better.
const SENTENCE_END: u8 = 0;
const CLAUSE_END: u8 = 1;
const ANYWHERE: u8 = 2;

/// The spans of a sentence's pieces, in order; one for a sentence of at most `longest` words.
///
/// Each cut is the best position within reach: the one that the fewest dependency links cross, if there is a tree; of
/// those, the end of a sentence before the end of a clause before any other; of those, the last.
pub fn cut(sentence: &Sentence, longest: usize) -> Vec<Span> {
    let words = sentence.surface.len();
    if words <= longest {
        return vec![(0, words)];
    }
    let mut crossing = crossing_links(&sentence.heads, words);
    for term in &sentence.terms {
        // No cut goes through a term. There is always another position, because terms are short.
        crossing[term.span.0 + 1..term.span.1].iter_mut().for_each(|count| *count += words);
    }
    let (mut found, mut first) = (Vec::new(), 0);
    while words - first > PIECE {
        // The last piece must not be too short.
        let last = (first + PIECE).min(words - PIECE / 4);
        let worth = |&at: &usize| (crossing[at], quality(&sentence.surface, at), Reverse(at));
        let end = (first + PIECE / 2..=last).min_by_key(worth).unwrap_or(first + PIECE);
        found.push((first, end));
        first = end;
    }
    found.push((first, words));
    found
}

/// For each position between two words the number of links across it; position k is before word k.
fn crossing_links(heads: &[i32], words: usize) -> Vec<usize> {
    let mut changes = vec![0isize; words + 1];
    for (word, &head) in heads.iter().enumerate().filter(|(_, &head)| head >= 0) {
        let (low, high) = (word.min(head as usize), word.max(head as usize));
        changes[low + 1] += 1;
        changes[high + 1] -= 1;
    }
    let mut open = 0;
    let sums = changes.into_iter().map(|change| {
        open += change;
        open as usize
    });
    sums.collect()
}

fn quality(words: &[String], at: usize) -> u8 {
    // Closing quotes and brackets stay with the text that they close.
    if words.get(at).is_some_and(|word| is_closing(word)) {
        return ANYWHERE;
    }
    let last = words[..at].iter().rev().find(|word| !is_closing(word));
    match last.and_then(|word| word.trim_end_matches(is_closing_character).chars().next_back()) {
        Some('.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '؟' | '۔' | '።') => SENTENCE_END,
        Some(',' | ';' | ':' | '–' | '—' | '，' | '、' | '；' | '：' | '،' | '؛') => CLAUSE_END,
        _ => ANYWHERE,
    }
}

fn is_closing(word: &str) -> bool {
    word.chars().all(is_closing_character)
}

fn is_closing_character(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '}' | '”' | '’' | '»' | '」' | '』' | '）')
}

/// A piece as a sentence of its own; words whose head is in another piece are roots.
pub fn piece(sentence: &Sentence, (first, end): Span) -> Sentence {
    let head = |&head: &i32| match usize::try_from(head) {
        Ok(head) if (first..end).contains(&head) => (head - first) as i32,
        _ => -1,
    };
    Sentence {
        words: sentence.words[first..end].to_vec(),
        surface: sentence.surface[first..end].to_vec(),
        heads: sentence.heads.get(first..end).unwrap_or_default().iter().map(head).collect(),
        tags: sentence.tags.get(first..end).unwrap_or_default().to_vec(),
        topics: sentence.topics.clone(),
        terms: sentence.terms.iter().filter_map(|term| moved(term, (first, end))).collect(),
    }
}

/// A term as one of a piece, if it lies in it.
fn moved(term: &Term, (first, end): Span) -> Option<Term> {
    let span = (term.span.0.checked_sub(first)?, term.span.1.checked_sub(first)?);
    (term.span.1 <= end).then(|| Term { span, ..term.clone() })
}

/// Translates a sentence in pieces, and adds up their scores and feature values. The n best are the best combinations
/// of the pieces' n best. The arcs of search graphs name their piece and its first word.
pub fn translate(
    translator: &dyn Translator,
    sentence: &Sentence,
    request: &NBestRequest,
    annotate: Option<Annotate<'_>>,
) -> Result<Translations> {
    let spans = cut(sentence, translator.max_words());
    let (mut parts, mut graph) = (Vec::new(), String::new());
    for (number, &span) in spans.iter().enumerate() {
        let Translations { best, graph: own } =
            translator.translate(&piece(sentence, span), request, annotate)?;
        parts.push(best);
        for arc in own.iter().flat_map(|own| own.lines()) {
            let rest = arc.strip_prefix('{').unwrap_or(arc);
            graph.push_str(&format!("{{\"piece\": {number}, \"first\": {}, {rest}\n", span.0));
        }
    }
    let join = |ranks: Vec<u32>| {
        let chosen = ranks.iter().zip(&parts).map(|(&rank, part)| &part[rank as usize]);
        join(chosen.zip(&spans).map(|(derivation, span)| (derivation, span.0)))
    };
    let best = combinations(&parts, request.n_best.max(1), request.distinct).into_iter().map(join).collect();
    Ok(Translations { best, graph: request.graph.then_some(graph) })
}

/// The results of `of` for the spans of each piece, with positions in the whole sentence.
pub fn spans(
    sentence: &Sentence,
    longest: usize,
    of: impl Fn(&Sentence) -> Result<Vec<SpanTranslations>>,
) -> Result<Vec<SpanTranslations>> {
    let mut found = Vec::new();
    for span in cut(sentence, longest) {
        let own = of(&piece(sentence, span))?;
        found.extend(own.into_iter().map(|one| {
            let (first, end) = one.span;
            SpanTranslations { span: (first + span.0, end + span.0), translations: one.translations }
        }));
    }
    Ok(found)
}

/// A derivation for each of the first pieces.
struct Combination {
    score: f64,
    ranks: Vec<u32>,
    text: TextKey,
}

/// A combination and a derivation of the next piece.
struct Pair {
    score: f64,
    place: (usize, usize),
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pair {}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.place.cmp(&self.place))
    }
}

/// The ranks of the best combinations of lists that are sorted by score, best first; at most `most`.
fn combinations(parts: &[Vec<Derivation>], most: usize, distinct: bool) -> Vec<Vec<u32>> {
    let mut best = vec![Combination { score: 0.0, ranks: Vec::new(), text: TextKey::EMPTY }];
    for part in parts {
        let texts: Vec<TextKey> = match distinct {
            true => part.iter().map(|one| TextKey::of(one.target().into_iter())).collect(),
            false => vec![TextKey::EMPTY; part.len()],
        };
        let pair = |i: usize, j: usize| {
            Some(Pair { score: best.get(i)?.score + f64::from(part.get(j)?.score), place: (i, j) })
        };
        let mut open: BinaryHeap<Pair> = pair(0, 0).into_iter().collect();
        let (mut longer, mut seen) = (Vec::new(), FastSet::default());
        while longer.len() < most {
            let Some(Pair { score, place: (i, j) }) = open.pop() else { break };
            open.extend(pair(i, j + 1));
            if j == 0 {
                open.extend(pair(i + 1, 0));
            }
            let text = best[i].text.then(texts[j]);
            if !distinct || seen.insert(text) {
                let ranks = best[i].ranks.iter().copied().chain([j as u32]).collect();
                longer.push(Combination { score, ranks, text });
            }
        }
        best = longer;
    }
    best.into_iter().map(|one| one.ranks).collect()
}

/// Joins the derivations of pieces, each with the position of its piece's first word. If each is a tree below glue, one
/// glue step holds them all.
fn join<'a>(pieces: impl Iterator<Item = (&'a Derivation, usize)>) -> Derivation {
    let pieces: Vec<_> = pieces.collect();
    let is_glue = |step: &Step| step.kind == "glue" && step.target.is_empty();
    let glued = pieces.iter().all(|(one, _)| one.steps.first().is_some_and(is_glue));
    let mut steps: Vec<Step> = Vec::new();
    if glued {
        steps.push(Step { kind: "glue", ..Step::default() });
    }
    let mut features = vec![0f64; pieces.first().map_or(0, |(one, _)| one.features.len())];
    let (mut score, mut written) = (0.0, 0);
    for (one, first) in pieces {
        score += f64::from(one.score);
        features.iter_mut().zip(&one.features).for_each(|(sum, &value)| *sum += f64::from(value));
        let skipped = usize::from(glued);
        let before = steps.len() - skipped;
        if glued {
            let tops = one.steps[0].children.iter().map(|child| child + before);
            steps[0].children.extend(tops);
        }
        for step in &one.steps[skipped..] {
            let mut step = step.clone();
            let context = step.context.iter_mut().flatten();
            step.positions.iter_mut().chain(context).for_each(|position| *position += first);
            step.places.iter_mut().for_each(|place| *place += written);
            step.children.iter_mut().for_each(|child| *child += before);
            for (source, target) in &mut step.alignment {
                *source += first;
                *target += written;
            }
            steps.push(step);
        }
        written += one.steps.iter().map(|step| step.places.len()).sum::<usize>();
    }
    Derivation { steps, features: features.into_iter().map(|sum| sum as f32).collect(), score: score as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(words: Vec<String>, heads: Vec<i32>) -> Sentence {
        Sentence { surface: words.clone(), words, heads, ..Sentence::default() }
    }

    fn plain(length: usize, marks: &[(usize, &str)]) -> Sentence {
        let mut words = vec!["w".to_owned(); length];
        marks.iter().for_each(|&(at, mark)| words[at] = mark.to_owned());
        sentence(words, Vec::new())
    }

    #[test]
    fn cuts_are_after_sentences_then_clauses_then_anywhere() {
        assert_eq!(cut(&plain(300, &[]), 300), [(0, 300)]);
        assert_eq!(cut(&plain(300, &[]), 256), [(0, 128), (128, 256), (256, 300)]);
        let marked = plain(300, &[(80, "."), (100, ","), (190, ","), (200, ",")]);
        assert_eq!(cut(&marked, 256), [(0, 81), (81, 201), (201, 300)]);
        // A closing quote stays with the sentence that it closes; a full stop may be part of a word.
        let quoted = plain(260, &[(80, "!"), (81, "”"), (100, ","), (150, "so."), (160, ",")]);
        assert_eq!(cut(&quoted, 256)[..2], [(0, 82), (82, 151)]);
        // No word is lost, and no piece is too long or too short.
        for length in 257..900 {
            let spans = cut(&plain(length, &[]), 256);
            assert_eq!((spans[0].0, spans[spans.len() - 1].1), (0, length));
            assert!(spans.windows(2).all(|two| two[0].1 == two[1].0));
            assert!(spans.iter().all(|&(first, end)| (PIECE / 4..=PIECE).contains(&(end - first))));
        }
    }

    /// Two chains of words, joined by one link: the cut lies between them, although a full stop is elsewhere.
    #[test]
    fn few_links_cross_a_cut() {
        let head = |word| match word {
            0 => -1,
            1..=90 => 0,
            _ => 90,
        };
        let mut words = vec!["w".to_owned(); 260];
        words[100] = ".".to_owned();
        let heads: Vec<i32> = (0..260).map(head).collect();
        let long = sentence(words, heads);
        let spans = cut(&long, 256);
        assert_eq!(spans[0], (0, 90));
        let second = piece(&long, spans[1]);
        assert_eq!(
            (second.heads[0], second.heads[1]),
            (-1, 0),
            "the head outside is gone, others are counted anew"
        );
    }

    fn derivation(word: &str, score: f32) -> Derivation {
        let step = Step {
            positions: vec![1],
            kind: "basic",
            target: vec![word.to_owned()],
            places: vec![0],
            alignment: vec![(1, 0)],
            ..Step::default()
        };
        Derivation { steps: vec![step], features: vec![score, 1.0], score }
    }

    #[test]
    fn the_best_combinations_come_first() {
        let parts = [
            vec![derivation("a", -1.0), derivation("b", -2.0), derivation("c", -4.0)],
            vec![derivation("d", -1.0), derivation("d", -1.5)],
        ];
        let all = combinations(&parts, 10, false);
        assert_eq!(all, [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]);
        assert_eq!(combinations(&parts, 2, false), all[..2]);
        assert_eq!(combinations(&parts, 10, true), [[0, 0], [1, 0], [2, 0]]);
    }

    #[test]
    fn joined_derivations_count_from_the_beginning_of_the_sentence() {
        let (one, two) = (derivation("a", -1.0), derivation("b", -2.0));
        let made = join([(&one, 0), (&two, 10)].into_iter());
        assert_eq!((made.score, &made.features[..], made.target()), (-3.0, &[-3.0, 2.0][..], vec!["a", "b"]));
        assert_eq!((&made.steps[1].positions[..], made.steps[1].alignment[0]), (&[11][..], (11, 1)));
        // Trees are joined below one glue step.
        let tree = |word: &str| {
            let mut made = derivation(word, -1.0);
            made.steps.insert(0, Step { kind: "glue", children: vec![1], ..Step::default() });
            made
        };
        let (one, two) = (tree("a"), tree("b"));
        let made = join([(&one, 0), (&two, 10)].into_iter());
        assert_eq!((made.steps.len(), &made.steps[0].children[..]), (3, &[1, 2][..]));
        assert_eq!(made.target(), ["a", "b"]);
    }
}
