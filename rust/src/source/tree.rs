//! The source graph: links between the words of a sentence, and projectivisation of dependency trees.
//!
//! Words are counted from 0; `heads[word]` is the head's position, -1 for the root word.

/// Why a list of heads is not a tree.
#[derive(Debug, PartialEq, Eq)]
pub enum TreeFault {
    OutOfRange {
        word: usize,
        head: i64,
    },
    NoRoot,
    SeveralRoots {
        first: usize,
        second: usize,
    },
    /// The words of the cycle, each followed by its head; the smallest comes first.
    Cycle(Vec<usize>),
}

impl TreeFault {
    /// As a message, with words and heads counted from 1 and 0 for the root's head, as in CoNLL-U.
    pub fn message(&self, length: usize) -> String {
        match self {
            TreeFault::OutOfRange { word, head } => {
                format!("word {} has HEAD {}, but the sentence has words 1 to {length}.", word + 1, head + 1)
            }
            TreeFault::NoRoot => "no root: no word of this sentence has HEAD 0.".to_owned(),
            TreeFault::SeveralRoots { first, second } => {
                format!(
                    "a second root: words {} and {} both have HEAD 0, a tree has one root.",
                    first + 1,
                    second + 1
                )
            }
            TreeFault::Cycle(words) => {
                let mut path: Vec<String> = words.iter().map(|word| (word + 1).to_string()).collect();
                path.push((words[0] + 1).to_string());
                format!("a cycle: the heads lead {}, and never to the root.", path.join(" → "))
            }
        }
    }

    /// The word to report.
    pub fn word(&self) -> usize {
        match self {
            TreeFault::OutOfRange { word, .. } => *word,
            TreeFault::NoRoot => 0,
            TreeFault::SeveralRoots { second, .. } => *second,
            TreeFault::Cycle(words) => words[0],
        }
    }
}

/// The root's position, if the heads form one tree over all words.
pub fn check(heads: &[i32]) -> Result<usize, TreeFault> {
    let mut root = None;
    for (word, &head) in heads.iter().enumerate() {
        if head < -1 || head >= heads.len() as i32 {
            return Err(TreeFault::OutOfRange { word, head: i64::from(head) });
        }
        if head == -1 {
            if let Some(first) = root {
                return Err(TreeFault::SeveralRoots { first, second: word });
            }
            root = Some(word);
        }
    }
    let root = root.ok_or(TreeFault::NoRoot)?;
    // Each word gets the number of the walk that first reached it; reaching a word of the same walk again is a cycle.
    let mut walk = vec![0_u32; heads.len()];
    for start in 0..heads.len() {
        let mine = start as u32 + 1;
        let mut word = start;
        while walk[word] == 0 {
            walk[word] = mine;
            match heads[word] {
                -1 => break,
                head => word = head as usize,
            }
        }
        if heads[word] != -1 && walk[word] == mine {
            return Err(TreeFault::Cycle(cycle_through(word, heads)));
        }
    }
    Ok(root)
}

fn cycle_through(word: usize, heads: &[i32]) -> Vec<usize> {
    let mut words = vec![word];
    while heads[words[words.len() - 1]] as usize != word {
        words.push(heads[words[words.len() - 1]] as usize);
    }
    let smallest = (0..words.len()).min_by_key(|&at| words[at]).unwrap_or(0);
    words.rotate_left(smallest);
    words
}

/// The undirected, untyped links as sorted pairs (smaller, larger). A pair that is both a bigram and a word with its
/// head has one link.
pub fn links(heads: &[i32], bigram: bool, dependency: bool) -> Vec<(u32, u32)> {
    let mut found = Vec::with_capacity(heads.len() * (usize::from(bigram) + usize::from(dependency)));
    if bigram {
        found.extend((1..heads.len() as u32).map(|word| (word - 1, word)));
    }
    if dependency {
        found.extend(heads.iter().enumerate().filter(|(_, &head)| head >= 0).map(|(word, &head)| {
            let (word, head) = (word as u32, head as u32);
            (word.min(head), word.max(head))
        }));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Entry and exit times of each word in a depth-first walk from the root: `b` is in the subtree of `a` exactly if
/// `enter[a] <= enter[b] < leave[a]`.
struct Walk {
    enter: Vec<u32>,
    leave: Vec<u32>,
    /// The words in order of entry: heads before their dependents.
    order: Vec<u32>,
}

impl Walk {
    fn new(heads: &[i32]) -> Self {
        let count = heads.len();
        let mut first = vec![0_u32; count + 1];
        for &head in heads.iter().filter(|&&head| head >= 0) {
            first[head as usize + 1] += 1;
        }
        for head in 0..count {
            first[head + 1] += first[head];
        }
        let mut dependents = vec![0_u32; first[count] as usize];
        let mut free = first.clone();
        let mut stack = Vec::with_capacity(count);
        for (word, &head) in heads.iter().enumerate() {
            if head < 0 {
                stack.push(word as u32);
            } else {
                dependents[free[head as usize] as usize] = word as u32;
                free[head as usize] += 1;
            }
        }
        let mut enter = vec![0; count];
        let mut order = Vec::with_capacity(count);
        while let Some(word) = stack.pop() {
            enter[word as usize] = order.len() as u32;
            order.push(word);
            let (from, to) = (first[word as usize] as usize, first[word as usize + 1] as usize);
            stack.extend_from_slice(&dependents[from..to]);
        }
        let mut size = vec![1_u32; count];
        for &word in order.iter().rev() {
            if heads[word as usize] >= 0 {
                size[heads[word as usize] as usize] += size[word as usize];
            }
        }
        let leave = enter.iter().zip(&size).map(|(start, size)| start + size).collect();
        Walk { enter, leave, order }
    }

    fn below(&self, top: usize, word: usize) -> bool {
        self.enter[top] <= self.enter[word] && self.enter[word] < self.leave[top]
    }
}

/// Whether the heads, which must be in range, lead from every word to a root; several roots are allowed.
pub fn is_forest(heads: &[i32]) -> bool {
    Walk::new(heads).order.len() == heads.len()
}

/// Whether every word between a word and its head is a descendant of that head. The heads must form a tree.
pub fn is_projective(heads: &[i32]) -> bool {
    // Equivalently: the subtree of every word is a contiguous span.
    let walk = Walk::new(heads);
    let mut least: Vec<u32> = (0..heads.len() as u32).collect();
    let mut most = least.clone();
    for &word in walk.order.iter().rev() {
        let word = word as usize;
        if most[word] - least[word] + 1 != walk.leave[word] - walk.enter[word] {
            return false;
        }
        if heads[word] >= 0 {
            let head = heads[word] as usize;
            least[head] = least[head].min(least[word]);
            most[head] = most[head].max(most[word]);
        }
    }
    true
}

/// Lifts arcs until the tree is projective (Nivre and Nilsson 2005, Figure 3): repeatedly re-attaches the shortest
/// non-projective arc, the leftmost of several, to its head's head. Returns the number of lifts. The heads must form a
/// tree.
pub fn projectivise(heads: &mut [i32]) -> usize {
    let mut lifts = 0;
    if is_projective(heads) {
        return lifts;
    }
    while let Some(word) = shortest_crossing(heads) {
        // The root dominates every word, so an arc from it is projective and this head has a head.
        heads[word] = heads[heads[word] as usize];
        lifts += 1;
    }
    lifts
}

/// The dependent of the shortest non-projective arc.
fn shortest_crossing(heads: &[i32]) -> Option<usize> {
    let walk = Walk::new(heads);
    let mut best: Option<(usize, usize, usize)> = None;
    for (word, &head) in heads.iter().enumerate().filter(|(_, &head)| head >= 0) {
        let head = head as usize;
        let (left, right) = (word.min(head), word.max(head));
        let key = (right - left, left, word);
        if best.is_none_or(|found| key < found) && !(left + 1..right).all(|between| walk.below(head, between))
        {
            best = Some(key);
        }
    }
    best.map(|(_, _, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_apart() {
        assert_eq!(check(&[1, -1, 1]), Ok(1));
        assert_eq!(check(&[1, 3, -1]), Err(TreeFault::OutOfRange { word: 1, head: 3 }));
        assert_eq!(check(&[1, 0]), Err(TreeFault::NoRoot));
        assert_eq!(check(&[-1, 0, -1]), Err(TreeFault::SeveralRoots { first: 0, second: 2 }));
        assert_eq!(check(&[3, -1, 3, 2]), Err(TreeFault::Cycle(vec![2, 3])));
        assert_eq!(check(&[0, -1]), Err(TreeFault::Cycle(vec![0])));
        assert_eq!(
            TreeFault::Cycle(vec![2, 3]).message(4),
            "a cycle: the heads lead 3 → 4 → 3, and never to the root."
        );
    }

    #[test]
    fn several_trees_are_a_forest() {
        assert!(is_forest(&[]) && is_forest(&[-1, 0, -1]) && is_forest(&[1, 2, -1]));
        assert!(!is_forest(&[0]) && !is_forest(&[-1, 2, 1]) && !is_forest(&[2, -1, 0]));
        // Interleaved trees are separated.
        let mut heads = [-1, -1, 0, 1];
        projectivise(&mut heads);
        assert!(is_projective(&heads) && is_forest(&heads));
    }

    #[test]
    fn a_pair_linked_twice_has_one_link() {
        let heads = [1, -1, 3, 1];
        assert_eq!(links(&heads, true, false), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(links(&heads, false, true), [(0, 1), (1, 3), (2, 3)]);
        assert_eq!(links(&heads, true, true), [(0, 1), (1, 2), (1, 3), (2, 3)]);
        assert_eq!(links(&[], true, true), []);
    }

    /// Every list of heads over `n` words that is a tree.
    fn all_trees(n: usize) -> Vec<Vec<i32>> {
        let mut found = Vec::new();
        for code in 0..(n + 1).pow(n as u32) {
            let heads: Vec<i32> =
                (0..n).map(|word| (code / (n + 1).pow(word as u32) % (n + 1)) as i32 - 1).collect();
            if check(&heads).is_ok() {
                found.push(heads);
            }
        }
        found
    }

    #[test]
    fn projectivity_on_every_tree_of_five_words() {
        // Cayley: n^(n-1) rooted labelled trees; of these C(3n-2, n-1) / n are projective.
        let trees = all_trees(5);
        assert_eq!(trees.len(), 625);
        assert_eq!(trees.iter().filter(|heads| is_projective(heads)).count(), 143);
        for heads in trees {
            let mut lifted = heads.clone();
            let lifts = projectivise(&mut lifted);
            assert!(is_projective(&lifted) && check(&lifted) == check(&heads));
            assert_eq!(lifts == 0, is_projective(&heads));
        }
    }

    #[test]
    fn the_shortest_arc_is_lifted_first() {
        // 2 → 0 (length 2) and 0 → 3 (length 3) both span the root 1. Lifted in this order both end at the root;
        // in the other order word 3 would have stayed below word 2.
        let mut heads = [2, -1, 1, 0];
        assert_eq!(projectivise(&mut heads), 2);
        assert_eq!(heads, [1, -1, 1, 1]);
    }

    #[test]
    fn of_equally_short_arcs_the_leftmost_is_lifted_first() {
        // 0 → 3 and 4 → 1 have length 3. By hand: 3 goes to 1, then (1 → 3 being shorter now) to 4, then 1 to 2;
        // starting with 4 → 1 would have ended with 3 below 2.
        let mut heads = [1, 4, -1, 0, 2];
        assert_eq!(projectivise(&mut heads), 3);
        assert_eq!(heads, [1, 2, -1, 4, 2]);
    }
}
