//! What a hypothesis chooses from: the options of a list, without those that another one always beats.
//!
//! Where a contextual rule applies, the basic rule with the same target side applies as well. Both lead to the same words
//! and the same coverage, so that their scores differ by the same amount whatever the hypothesis is. The choices of a
//! contextual list are therefore its own options and the basic ones, of two with the same words only the better.

use super::graph::NONE;
use super::options::{List, StackOptions};
use crate::decode::prepared::NOT_BASIC;
use crate::store::bits::NodeSet;

/// An option, and one with the same words that is never better; [`NONE`] if there is no such option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    pub option: u32,
    pub worse: u32,
}

/// The choices of every list, best first.
pub struct Choices {
    all: Vec<Choice>,
    /// Where the choices of each list begin, and where the last ones end.
    starts: Vec<u32>,
}

impl Choices {
    /// The options of each list alone.
    pub fn separate<B: NodeSet>(options: &StackOptions<B>) -> Self {
        let mut choices = Choices::with_capacity(options);
        for list in &options.lists {
            choices.add_own(list);
            choices.starts.push(choices.all.len() as u32);
        }
        choices
    }

    /// The options of each list, those of contextual lists together with the basic ones of their subgraph.
    pub fn joined<B: NodeSet>(options: &StackOptions<B>) -> Self {
        let mut choices = Choices::with_capacity(options);
        let mut joining = Joining::default();
        for subgraph in &options.subgraphs {
            let lists = &options.lists[subgraph.from as usize..subgraph.to as usize];
            let basic = lists.iter().find(|list| list.context.is_none());
            if let (Some(basic), true) = (basic, lists.len() > 1) {
                joining.begin(options, basic);
            }
            for list in lists {
                match basic {
                    Some(basic) if list.context.is_some() => {
                        joining.join(options, list, basic, &mut choices.all);
                    }
                    _ => choices.add_own(list),
                }
                choices.starts.push(choices.all.len() as u32);
            }
        }
        choices
    }

    fn with_capacity<B: NodeSet>(options: &StackOptions<B>) -> Self {
        let mut starts = Vec::with_capacity(options.lists.len() + 1);
        starts.push(0);
        Choices { all: Vec::with_capacity(options.len()), starts }
    }

    /// Adds the options of a list alone.
    fn add_own<B: NodeSet>(&mut self, list: &List<B>) {
        self.all.extend((list.from..list.to).map(|option| Choice { option, worse: NONE }));
    }

    /// The choices of a list, as a range of all.
    #[inline]
    pub fn of(&self, list: u32) -> (u32, u32) {
        (self.starts[list as usize], self.starts[list as usize + 1])
    }

    #[inline]
    pub fn get(&self, number: u32) -> Choice {
        self.all[number as usize]
    }
}

/// Joins contextual lists with the basic one.
#[derive(Default)]
struct Joining {
    /// The basic option with each target side, or [`NONE`].
    basic_of: Vec<u32>,
    /// The contextual option with the same words as each basic one, or [`NONE`].
    contextual_of: Vec<u32>,
}

impl Joining {
    /// Begins with the basic list of a subgraph.
    fn begin<B: NodeSet>(&mut self, options: &StackOptions<B>, basic: &List<B>) {
        self.basic_of.clear();
        for option in basic.from..basic.to {
            let side = options.target_side[option as usize] as usize;
            if side == NOT_BASIC as usize {
                continue;
            }
            if self.basic_of.len() <= side {
                self.basic_of.resize(side + 1, NONE);
            }
            self.basic_of[side] = option;
        }
    }

    /// Appends the options of a contextual list and the basic ones, in the order of their estimates.
    fn join<B: NodeSet>(
        &mut self,
        options: &StackOptions<B>,
        list: &List<B>,
        basic: &List<B>,
        found: &mut Vec<Choice>,
    ) {
        let score = |option: u32| options.score[option as usize];
        let estimate = |option: u32| options.estimate[option as usize];
        self.contextual_of.clear();
        self.contextual_of.resize((basic.to - basic.from) as usize, NONE);
        for option in list.from..list.to {
            if let Some(same) = self.basic_with(options, option) {
                self.contextual_of[(same - basic.from) as usize] = option;
            }
        }
        let mut next = basic.from;
        let mut basic_before = |limit: Option<f32>, found: &mut Vec<Choice>| {
            while next < basic.to && limit.is_none_or(|limit| estimate(next) > limit) {
                match self.contextual_of[(next - basic.from) as usize] {
                    NONE => found.push(Choice { option: next, worse: NONE }),
                    other if score(next) > score(other) => {
                        found.push(Choice { option: next, worse: other });
                    }
                    _ => (),
                }
                next += 1;
            }
        };
        for option in list.from..list.to {
            let worse = match self.basic_with(options, option) {
                Some(same) if self.contextual_of[(same - basic.from) as usize] != option => NONE,
                Some(same) if score(same) > score(option) => continue,
                Some(same) => same,
                None => NONE,
            };
            basic_before(Some(estimate(option)), found);
            found.push(Choice { option, worse });
        }
        basic_before(None, found);
    }

    /// The basic option with the same words as a contextual one.
    fn basic_with<B: NodeSet>(&self, options: &StackOptions<B>, option: u32) -> Option<u32> {
        let side = options.target_side[option as usize] as usize;
        self.basic_of.get(side).copied().filter(|&same| same != NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::stack::definitions::collected;
    use crate::decode::stack::tests::{tree, world, Dice, BOTH, WORDS};
    use crate::extract::sentence::ContextScope;
    use crate::rule::record::Identity;

    /// By definition: the options of both lists, of those with the same words the better one, best first.
    fn by_definition(options: &StackOptions<u64>, list: &List<u64>, basic: &List<u64>) -> Vec<f32> {
        let all = (list.from..list.to).chain(basic.from..basic.to);
        let mut best: Vec<(&[u32], f32)> = Vec::new();
        for option in all {
            let (words, estimate) = (options.lm_words(option), options.estimate[option as usize]);
            match best.iter_mut().find(|(known, _)| *known == words) {
                Some((_, known)) => *known = known.max(estimate),
                None => best.push((words, estimate)),
            }
        }
        let mut estimates: Vec<f32> = best.into_iter().map(|(_, estimate)| estimate).collect();
        estimates.sort_by(|a, b| b.total_cmp(a));
        estimates
    }

    #[test]
    fn contextual_lists_have_the_better_of_two_options_with_the_same_words() {
        let (mut contextual, mut basic_is_better) = (0, 0);
        for seed in 0..20 {
            let world = world(seed, BOTH, Identity::Links, Some(ContextScope::Next));
            let words: Vec<String> = WORDS.iter().map(|&word| word.to_owned()).collect();
            let heads = tree(&mut Dice(seed), words.len());
            let (_, options) = collected(&world, &words, &heads, 1000);
            let choices = Choices::joined(&options);
            for subgraph in &options.subgraphs {
                let numbers = subgraph.from..subgraph.to;
                let list_of = |number: u32| &options.lists[number as usize];
                let basic = numbers.clone().find(|&number| list_of(number).context.is_none()).unwrap();
                for number in numbers {
                    let (from, to) = choices.of(number);
                    let found: Vec<Choice> = (from..to).map(|place| choices.get(place)).collect();
                    let estimates: Vec<f32> =
                        found.iter().map(|one| options.estimate[one.option as usize]).collect();
                    assert_eq!(estimates, by_definition(&options, list_of(number), list_of(basic)));
                    if number == basic {
                        continue;
                    }
                    let named = |one: &Choice| 1 + u32::from(one.worse != NONE);
                    let options_of = |list: &List<u64>| list.to - list.from;
                    let both = options_of(list_of(number)) + options_of(list_of(basic));
                    assert_eq!(found.iter().map(named).sum::<u32>(), both, "no option is lost");
                    contextual += 1;
                    basic_is_better += usize::from(found.iter().any(|one| {
                        one.worse != NONE
                            && one.option >= list_of(basic).from
                            && one.option < list_of(basic).to
                    }));
                    for one in found.iter().filter(|one| one.worse != NONE) {
                        assert_eq!(options.lm_words(one.option), options.lm_words(one.worse));
                        assert!(options.score[one.option as usize] >= options.score[one.worse as usize]);
                    }
                }
            }
        }
        assert!(contextual > 50 && basic_is_better > 10, "{contextual} {basic_is_better}");
    }
}
