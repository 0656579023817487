//! Whole runs on small texts.

use super::*;
use crate::work::threads;

fn encoded(lines: &[&str]) -> Encoded {
    let mut text = Encoded::new(0);
    for line in lines {
        text.push(line).unwrap();
    }
    text
}

fn settings() -> Settings {
    Settings { seed: 1, samplers: 2, length: 0.05, priors: Priors::default() }
}

fn shown(links: &Links) -> Vec<Vec<(u16, u16)>> {
    (0..links.len()).map(|n| links.sentence(n).map(|link| (link.source, link.target)).collect()).collect()
}

fn run(source: &Encoded, target: &Encoded, kept: &[bool], settings: &Settings) -> [Vec<Vec<(u16, u16)>>; 2] {
    let (forward, reverse) = align(source, target, kept, settings, &|_, _| Ok(())).unwrap();
    [shown(&forward), shown(&reverse)]
}

const SOURCE: [&str; 6] = ["das haus", "das buch", "ein buch", "ein haus", "", "das kleine haus"];
const TARGET: [&str; 6] = ["the house", "the book", "a book", "a house", "", "the small house"];
const KEPT: [bool; 6] = [true, true, true, true, false, true];

#[test]
fn words_that_occur_together_are_linked() {
    let (source, target) = (encoded(&SOURCE), encoded(&TARGET));
    let [forward, reverse] = run(&source, &target, &KEPT, &Settings { length: 1.0, ..settings() });
    let two = vec![(0, 0), (1, 1)];
    let expected = [two.clone(), two.clone(), two.clone(), two, vec![], vec![(0, 0), (1, 1), (2, 2)]];
    assert_eq!(forward, expected);
    assert_eq!(reverse, expected);
}

#[test]
fn threads_do_not_change_links_and_exchanged_sides_exchange_directions() {
    let (source, target) = (encoded(&SOURCE), encoded(&TARGET));
    let on = |threads| threads::on(threads, || Ok(run(&source, &target, &KEPT, &settings()))).unwrap();
    let one = on(1);
    assert_eq!(one, on(3));
    let turned = |direction: &Vec<Vec<(u16, u16)>>| -> Vec<Vec<(u16, u16)>> {
        direction
            .iter()
            .map(|links| {
                let mut links: Vec<_> = links.iter().map(|&(i, j)| (j, i)).collect();
                links.sort_unstable();
                links
            })
            .collect()
    };
    let [forward, reverse] = run(&target, &source, &KEPT, &settings());
    assert_eq!([turned(&reverse), turned(&forward)], one);
}

#[test]
fn progress_counts_every_sweep_of_every_chain() {
    let (source, target) = (encoded(&SOURCE), encoded(&TARGET));
    let seen = Mutex::new(Vec::new());
    let report = |done, total| {
        seen.lock().unwrap().push((done, total));
        Ok(())
    };
    align(&source, &target, &KEPT, &settings(), &report).unwrap();
    let sweeps: usize = schedule(0.05, 5).iter().map(|(_, sweeps)| sweeps).sum();
    let expected: Vec<(u64, u64)> = (1..=4 * sweeps as u64).map(|done| (done, 4 * sweeps as u64)).collect();
    assert_eq!(seen.into_inner().unwrap(), expected);
}

#[test]
fn extreme_sentences() {
    let long = "a b c ".repeat(300);
    let (source, target) = (encoded(&[&long, "x", "x", &long]), encoded(&["x", &long, "x", &long]));
    let [forward, reverse] = run(&source, &target, &[true; 4], &settings());
    // Each word has at most one link, and the single word of a pair more than enough to choose from.
    assert!(forward[0].len() <= 1 && reverse[1].len() <= 1);
    assert!(forward[3].len() <= 900);
    let none = run(&source, &target, &[false; 4], &settings());
    assert!(none.iter().flatten().all(Vec::is_empty));
    let empty = encoded(&["", "x", "x", "x"]);
    let error = align(&empty, &target, &[true; 4], &settings(), &|_, _| Ok(())).unwrap_err();
    assert_eq!(error.message, "pair 1 has 0 and 1 words; 1 to 65534 are allowed.");
}

#[test]
fn schedules() {
    let sweeps = |length, pairs| schedule(length, pairs).map(|(_, sweeps)| sweeps);
    assert_eq!(sweeps(1.0, 10_000), [6, 6, 25]);
    assert_eq!(sweeps(0.2, 10_000), [2, 1, 5]);
    assert_eq!(sweeps(1.0, 10_000_000), [2, 1, 4]);
    assert_eq!(sweeps(0.01, 10_000_000), [2, 1, 2]);
    assert_eq!(sweeps(1.0, 1), sweeps(1.0, 400));
}

/// A conditional distribution by hand: "a b" with "x y", x linked to a and y to b, and "a" with "x", not linked.
#[test]
fn a_distribution_by_hand() {
    let (given, choosing) = (encoded(&["a b", "a"]), encoded(&["x y", "x"]));
    let priors =
        Priors { lexical: 0.5, null_lexical: 0.25, jump: 0.5, fertility: 0.5, null: 0.2, early_null: 0.1 };
    let found = conditionals(&given, &choosing, &[0, 1, -1], Stage::Ibm1, priors).unwrap();
    // For x of the first pair: a has no other link, b one to y, and NULL one to x; two words can be chosen.
    let weights = [
        0.9 / 2.0 * (0.0 + 0.5) / (0.0 + 2.0 * 0.5),
        0.9 / 2.0 * (0.0 + 0.5) / (1.0 + 2.0 * 0.5),
        0.1 * (1.0 + 0.25) / (1.0 + 2.0 * 0.25),
    ];
    let sum: f32 = weights.iter().sum();
    for (found, weight) in found[0].iter().zip(weights) {
        assert!((found - weight / sum).abs() < 1e-6);
    }
    let found = conditionals(&given, &choosing, &[0, 1, -1], Stage::Fertility, priors).unwrap();
    // Three jumps of 1 in the first pair, one of 2 in the second, and 201 distances.
    let jump = |count: f32| (count + 0.5) / (4.0 + 201.0 * 0.5);
    // Without the link of x, both tokens of a have no link, one of them apart from this one; b has one link.
    let weights = [
        0.8 * 0.5 / (0.0 + 1.0) * jump(3.0) * jump(3.0) * (0.0 + 0.5) / (1.0 + 0.5),
        0.8 * 0.5 / (1.0 + 1.0) * jump(1.0) * jump(0.0) * (0.0 + 0.5) / (0.0 + 0.5),
        0.2 * (1.0 + 0.25) / (1.0 + 0.5) * jump(1.0),
    ];
    let sum: f32 = weights.iter().sum();
    for (found, weight) in found[0].iter().zip(weights) {
        assert!((found - weight / sum).abs() < 1e-6);
    }
}
